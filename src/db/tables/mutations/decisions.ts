/** The change that keeps a decision: what was told, held back or left out, and why. */
import { instant, optional, orNull, text } from './fields.ts';
import { channelName, monitorId, sentence, uid } from './names.ts';
import { declareWrite } from './write.ts';

const word = text(60);

/** `verdict` and `reason` are short words that are counted; `detail` is the sentence for people. */
export const logDecision = declareWrite(
  'decision',
  {
    at: instant,
    monitor: orNull(monitorId),
    incident: orNull(uid),
    channel: orNull(channelName),
    event: word,
    verdict: word,
    reason: word,
    detail: optional(orNull(sentence), null),
  },
  (sql, decision) => {
    sql.run(
      `INSERT INTO decisions (at, monitor, incident, channel, event, verdict, reason, detail)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      decision.at,
      decision.monitor,
      decision.incident,
      decision.channel,
      decision.event,
      decision.verdict,
      decision.reason,
      decision.detail,
    );
    sql.run(
      `INSERT INTO decision_totals (verdict, reason, count) VALUES (?, ?, 1)
       ON CONFLICT (verdict, reason) DO UPDATE SET count = count + 1`,
      decision.verdict,
      decision.reason,
    );
    return null;
  },
);
