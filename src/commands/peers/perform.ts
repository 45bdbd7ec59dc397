/** Asks the peers for their view of the monitors, and prints it beside the local one. */
import { peers as stored } from '../../db/tables/peers.ts';
import { monitors as known } from '../../db/tables/monitors.ts';
import type { Monitor } from '../../engine/config/config.ts';
import { createPeerClients } from '../../engine/peers/client/create-clients.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { selectMonitors } from '../../engine/operations/select-monitors.ts';
import { peerViews } from '../../engine/views/peers.ts';
import { statusOf } from '../../serve/scope/status.ts';
import { noProgress, type Progress, showProgress } from '../check/progress.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { type OpenedStore, withStore } from '../open-store.ts';
import { environmentOf } from '../outside.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { askPeers, questionsOf } from './ask.ts';
import { type AskedPeer, type Matrix, nodeOf, type PeerCell, viewOf } from './matrix.ts';
import { matrixText, textsOf } from './render.ts';
import { rfc3339 } from '../../engine/core/instant.ts';

export interface PeersRun extends RunOptions {
  /** Empty: all monitors. */
  readonly ids: readonly string[];
}

export function performPeers(run: PeersRun, context: Context): Promise<ExitCode> {
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const { config, redact } = openedStore;
    const chosen = chosenOf(run.ids, openedStore);
    const names = [...config.peers, ...chosen].map(({ name }) => cleanLine(name));
    const look = await openTerminalOutput(context, run.isColourRefused, names);
    const questions = questionsOf(chosen, config.health.id);
    const progress = progressOf(run, questions.length * config.peers.length, { context, look });
    const clients = createPeerClients(environmentOf(context, openedStore));
    const { clock, interrupt: signal } = context;
    let askedPeer: readonly AskedPeer[];
    try {
      askedPeer = await askPeers(config.peers, questions, { clients, clock, signal, progress });
    } finally {
      progress.end();
    }
    const matrix = matrixOf(chosen, askedPeer, openedStore);
    if (run.isJson) context.stdout.write(`${toJson(matrixJson(matrix, redact))}\n`);
    else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(matrix));
      context.stdout.write(matrixText(matrix, { isQuiet: run.isQuiet, redact }, output));
    }
    return matrix.nodes.some(({ isReachable }) => isReachable === false) ? exitCodes.wrong : exitCodes.ok;
  });
}

function chosenOf(ids: readonly string[], openedStore: OpenedStore): readonly Monitor[] {
  return selectMonitors(openedStore.config.monitors, { ids, groups: [] });
}

function matrixOf(
  chosen: readonly Monitor[],
  askedPeer: readonly AskedPeer[],
  openedStore: OpenedStore,
): Matrix {
  const { config, store, nowAt } = openedStore;
  const { sql } = store;
  const rows = new Map(known.list(sql).map((row) => [row.id, row]));
  const verdicts = new Map(stored.listVerdicts(sql).map((row) => [`${row.peer} ${row.monitor}`, row]));
  const heard = peerViews(config.peers, { rows: stored.list(sql), skews: stored.listSkews(sql) }, nowAt);
  return {
    node: config.health.id,
    at: nowAt,
    rows: chosen.map((monitor) => {
      const { id, name } = monitor;
      const last = rows.get(id)?.last ?? null;
      const { status } = statusOf(id, { stateOf: () => null, store });
      const views = askedPeer.map((one) => {
        const before = verdicts.get(`${one.peer.id} ${id}`) ?? null;
        return [one.peer.id, viewOf(monitor, one, { stored: before, nowAt })] as const;
      });
      return {
        id,
        name,
        here: { status, latencyMs: last?.latencyMs ?? null, at: last?.at ?? null },
        views: new Map(views),
      };
    }),
    nodes: askedPeer.map((one) => nodeOf(one, heard.find(({ id }) => id === one.peer.id) ?? null)),
  };
}

interface Showing {
  readonly context: Context;
  readonly look: TerminalOutput;
}

/** Where it is watched: on stderr, if that is a terminal. */
function progressOf({ isQuiet, isJson }: PeersRun, total: number, { context, look }: Showing): Progress {
  const { stderr, clock } = context;
  const isTty = 'isTTY' in stderr && stderr.isTTY === true;
  if (isQuiet || isJson || !isTty || total === 0) return noProgress;
  const columns = () => ('columns' in stderr && Number(stderr.columns) > 0 ? Number(stderr.columns) : 80);
  const write = (text: string) => {
    stderr.write(text);
  };
  return showProgress(total, { clock, write, columns }, look);
}

/** Renders the comparison for programs. */
function matrixJson({ node, at, rows, nodes }: Matrix, redact: (text: string) => string) {
  const said = (text: string | null) => (text === null ? null : redact(text));
  return {
    node,
    checked_at: rfc3339(at),
    monitors: rows.map(({ id, name, here, views }) => ({
      id,
      name,
      status: here.status,
      latency_ms: here.latencyMs,
      checked_at: here.at === null ? null : rfc3339(here.at),
      nodes: Object.fromEntries([...views].map(([peer, view]) => [peer, viewJson(view, said)])),
    })),
    peers: nodes.map(({ id, name, heard, isReachable, error, skewMs }) => ({
      id,
      name,
      state: heard?.state ?? null,
      age: heard?.age ?? null,
      reachable: isReachable,
      error: said(error),
      clock_skew_ms: skewMs === null ? null : Math.round(skewMs),
    })),
  };
}

function viewJson(peerCell: PeerCell, said: (text: string | null) => string | null) {
  switch (peerCell.kind) {
    case 'seen': {
      const { status, latencyMs, error, at, source } = peerCell;
      return { status, latency_ms: latencyMs, error: said(error), at: rfc3339(at), source };
    }
    case 'unwatched':
      return nothing('it does not watch this target');
    case 'without_target':
      return nothing('there is no target to ask about');
    case 'unasked':
      return nothing('it has no ping_url to ask');
    case 'unknown':
      return nothing(said(peerCell.error));
  }
}

function nothing(error: string | null) {
  return { status: null, latency_ms: null, error, at: null, source: null };
}
