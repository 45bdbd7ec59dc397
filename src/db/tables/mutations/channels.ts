/** The changes to the list of channels that messages can be waiting for. */
import { instant, text } from './fields.ts';
import { channelName } from './names.ts';
import { declareWrite } from './write.ts';

/** The config has this channel, and it can be used. `destination`: a digest of whom it reaches. */
export const seeChannel = declareWrite(
  'channel.see',
  { channel: channelName, destination: text(64), at: instant },
  (sql, { channel, destination, at }) => {
    sql.run(
      `INSERT INTO channels (name, destination, seen_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (name) DO UPDATE SET destination = ?2, seen_at = ?3, removed_at = NULL`,
      channel,
      destination,
      at,
    );
    return null;
  },
);

/** The config has this channel no more; it is remembered, in case it comes back under another name. */
export const removeChannel = declareWrite(
  'channel.remove',
  { channel: channelName, at: instant },
  (sql, { channel, at }) => {
    sql.run('UPDATE channels SET removed_at = ? WHERE name = ? AND removed_at IS NULL', at, channel);
    return null;
  },
);
