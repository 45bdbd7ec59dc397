/** One channel of every type that speaks HTTP, each with its vendor on loopback, loaded from a configuration. */
import type { Channel } from '../../src/engine/config/config.ts';
import type { ChannelType } from '../../src/engine/config/rows/channels.ts';
import { createDeliver, type Deliver, type DeliverOptions } from '../../src/notify/channels/deliver.ts';
import { load } from './config.ts';
import { probeContext } from './probing.ts';
import { discordRules, matrixRules, slackRules, telegramRules } from './vendor-chat.ts';
import { freemobileRules, gotifyRules, ntfyRules, pushoverRules, webhookRules } from './vendor-push.ts';
import { startVendor, type Vendor, type VendorRules } from './vendor-server.ts';

export type HttpType = Exclude<ChannelType, 'email'>;

interface Recipe {
  readonly rules: VendorRules;
  /** The table of the channel, but for its name and type. */
  readonly toml: (origin: string) => string;
}

/** Secrets that nothing else looks like. */
export const canary = (of: string) => `cAnArY-${of}-7f3d9b21c4e8`;

const hook = `/api/webhooks/100/${canary('discord')}`;
const slackHook = `/services/T0/B0/${canary('slack')}`;
const webhookPath = `/in/${canary('webhook')}`;

export const recipes: { readonly [Type in HttpType]: Recipe } = {
  telegram: {
    rules: telegramRules({ token: canary('telegram'), chatId: '-100123' }),
    toml: (origin) => `token = "${canary('telegram')}"\nchat_id = "-100123"\napi_url = "${origin}"`,
  },
  discord: { rules: discordRules(hook), toml: (origin) => `webhook_url = "${origin}${hook}"` },
  slack: { rules: slackRules(slackHook), toml: (origin) => `webhook_url = "${origin}${slackHook}"` },
  matrix: {
    rules: matrixRules({ token: canary('matrix'), room: '!abc/def:example.com' }),
    toml: (origin) =>
      `homeserver = "${origin}"\ntoken = "${canary('matrix')}"\nroom_id = "!abc/def:example.com"`,
  },
  ntfy: {
    rules: ntfyRules({ topic: canary('topic'), token: canary('ntfy') }),
    toml: (origin) => `url = "${origin}/${canary('topic')}"\ntoken = "${canary('ntfy')}"`,
  },
  gotify: {
    rules: gotifyRules(canary('gotify')),
    toml: (origin) => `url = "${origin}"\ntoken = "${canary('gotify')}"`,
  },
  pushover: {
    rules: pushoverRules({ token: canary('pushover'), user: canary('user') }),
    toml: (origin) => `token = "${canary('pushover')}"\nuser = "${canary('user')}"\napi_url = "${origin}"`,
  },
  freemobile: {
    rules: freemobileRules({ user: '12345678', pass: canary('freemobile') }),
    toml: (origin) => `user = "12345678"\npass = "${canary('freemobile')}"\napi_url = "${origin}"`,
  },
  webhook: {
    rules: webhookRules({ path: webhookPath, secret: canary('secret') }),
    toml: (origin) => `url = "${origin}${webhookPath}"\nsecret = "${canary('secret')}"`,
  },
};

export const httpTypes = Object.keys(recipes) as HttpType[];

export interface VendorWorld {
  readonly vendors: { readonly [Type in HttpType]: Vendor };
  readonly channels: { readonly [Type in HttpType]: Channel };
  readonly options: DeliverOptions;
  readonly deliver: Deliver;
  readonly redact: (text: string) => string;
  readonly close: () => Promise<void>;
}

/** `options` stand in for the real clock, resolver and trust. */
export async function startVendors(options: Partial<DeliverOptions> = {}): Promise<VendorWorld> {
  const started = await Promise.all(
    httpTypes.map(async (type) => [type, await startVendor(recipes[type].rules)] as const),
  );
  const vendors = Object.fromEntries(started) as Record<HttpType, Vendor>;
  const tables = httpTypes.map(
    (type) =>
      `[[channels]]\nname = "${type}"\ntype = "${type}"\n${recipes[type].toml(vendors[type].origin)}\n`,
  );
  const { config, redact } = await load(tables.join('\n'));
  const channels = Object.fromEntries(config.channels.map((channel) => [channel.type, channel]));
  const all: DeliverOptions = { ...probeContext({ redact }), ...options };
  return {
    vendors,
    channels: channels as Record<HttpType, Channel>,
    options: all,
    deliver: createDeliver(all),
    redact,
    close: async () => {
      await Promise.all(httpTypes.map((type) => vendors[type].close()));
    },
  };
}
