/** How the notification channels are, for whoever may know that there are any. */
import { wholeSecs } from '../core/duration.ts';

export interface ChannelFacts {
  readonly channel: string;
  readonly consecutiveFailures: number;
  /** When the streak of failures began, epoch ms. */
  readonly failingSinceAt: number | null;
}

/** Every configured channel, in the order of the configuration. */
export function channelViews(
  configured: readonly { readonly name: string }[],
  facts: readonly ChannelFacts[],
  { threshold, nowAt }: { readonly threshold: number; readonly nowAt: number },
) {
  const known = new Map(facts.map((fact) => [fact.channel, fact]));
  return configured.map(({ name }) => {
    const { consecutiveFailures = 0, failingSinceAt = null } = known.get(name) ?? {};
    return {
      name,
      failing: consecutiveFailures >= threshold,
      consecutive_failures: consecutiveFailures,
      failing_for_secs: failingSinceAt === null ? 0 : wholeSecs(nowAt - failingSinceAt),
    };
  });
}
