/** One channel of every type that speaks HTTP, each with its vendor on loopback, loaded from a configuration. */
import type { Channel } from '../../src/engine/config/config.ts';
import type { HttpType } from '../../src/notify/channels/http.ts';
import { createDeliver, type Deliver, type DeliverOptions } from '../../src/notify/channels/deliver.ts';
import { load } from './config.ts';
import { probeContext } from './probing.ts';
import {
  alertmanagerRules,
  appriseRules,
  homeassistantRules,
  pagerdutyRules,
  signalRules,
  twilioRules,
} from './vendor-alerts.ts';
import { discordRules, matrixRules, slackRules, telegramRules } from './vendor-chat.ts';
import { freemobileRules, gotifyRules, ntfyRules, pushoverRules, webhookRules } from './vendor-push.ts';
import { googlechatRules, mattermostRules, rocketchatRules, teamsRules, zulipRules } from './vendor-rooms.ts';
import { startVendor, type Vendor, type VendorRules } from './vendor-server.ts';

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

/** A channel that is nothing but an address. */
const hooked = (rules: (path: string) => VendorRules, path: string): Recipe => ({
  rules: rules(path),
  toml: (origin) => `webhook_url = "${origin}${path}"`,
});

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
  teams: hooked(teamsRules, `/workflows/${canary('teams')}/run`),
  pagerduty: {
    rules: pagerdutyRules(canary('pagerduty')),
    toml: (origin) => `routing_key = "${canary('pagerduty')}"\napi_url = "${origin}"`,
  },
  alertmanager: {
    rules: alertmanagerRules(canary('alertmanager')),
    toml: (origin) => `url = "${origin}"\ntoken = "${canary('alertmanager')}"`,
  },
  mattermost: hooked(mattermostRules, `/hooks/${canary('mattermost')}`),
  rocketchat: hooked(rocketchatRules, `/hooks/A/${canary('rocketchat')}`),
  googlechat: {
    rules: googlechatRules('/v1/spaces/A/messages', canary('googlechat')),
    toml: (origin) => `webhook_url = "${origin}/v1/spaces/A/messages?key=k&token=${canary('googlechat')}"`,
  },
  zulip: {
    rules: zulipRules({ email: 'bot@example.com', key: canary('zulip') }),
    toml: (origin) =>
      `url = "${origin}"\nemail = "bot@example.com"\napi_key = "${canary('zulip')}"\nstream = "ops"`,
  },
  signal: {
    rules: signalRules({ number: '+491711234567', to: 'group.abc', login: `me:${canary('signal')}` }),
    toml: (origin) =>
      `url = "${origin.replace('//', `//me:${canary('signal')}@`)}"\nnumber = "+491711234567"\nto = "group.abc"`,
  },
  twilio: {
    rules: twilioRules({ sid: 'AC0123', token: canary('twilio'), to: '+15551234567' }),
    toml: (origin) =>
      `account_sid = "AC0123"\ntoken = "${canary('twilio')}"\nfrom = "+15005550006"\nto = "+15551234567"\napi_url = "${origin}"`,
  },
  homeassistant: {
    rules: homeassistantRules({ token: canary('homeassistant'), service: 'mobile_app_phone' }),
    toml: (origin) =>
      `url = "${origin}"\ntoken = "${canary('homeassistant')}"\nservice = "notify.mobile_app_phone"`,
  },
  apprise: {
    rules: appriseRules(canary('apprise')),
    toml: (origin) => `url = "${origin}"\nkey = "${canary('apprise')}"`,
  },
};

export const httpTypes = Object.keys(recipes) as HttpType[];

/** Those whose messages are fields for a program, and not words for a person alone. */
export const isForMachines = (type: HttpType) => ['webhook', 'pagerduty', 'alertmanager'].includes(type);

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
