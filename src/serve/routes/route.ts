/** A route as data: everything about it in one row, from its address to the shape of its answers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { HeartbeatStatus } from '../../engine/monitoring/heartbeats/silence.ts';
import type { Json, Operation } from '../../db/store/operation.ts';
import type { announcements } from '../../db/tables/announcements.ts';
import type { silences } from '../../db/tables/silences.ts';
import type { RowIdentity } from '../../db/tables/numbered.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import type { Access } from '../access/admit.ts';
import type { HttpReply } from '../http-types.ts';
import type { Limit } from '../limit/limiter.ts';
import type { PageContext } from '../pages/page-context.ts';
import type { NodeAnswer, NodeConflict, NodeQuestion } from '../../engine/nodes/wire.ts';
import type { ProbeAnswers } from '../../engine/peers/answer-probe.ts';
import type { ViewerScope } from '../scope/viewer-scope.ts';
import type { Parameters, ParameterValues } from './parameter.ts';
import type { AnswerSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

/** What gives new rows their identity, as the topics of silences and banners do. */
interface IdentityTopic {
  readonly identity: (sql: SqlReader, uid: string) => RowIdentity;
}

/** What a route can change. */
export interface Effects {
  /** Resolves once the heartbeat is durable. */
  readonly heartbeat: (heartbeat: {
    readonly monitor: string;
    readonly status: HeartbeatStatus;
    readonly message: string | null;
    readonly pingMs: number | null;
  }) => Promise<void>;
  /** The same for a heartbeat of a peer, by its config id. */
  readonly peerHeartbeat: (heartbeat: {
    readonly peer: string;
    readonly status: HeartbeatStatus;
    readonly message: string | null;
  }) => Promise<void>;
  /** How a monitor looks now, for a peer. Rejects with a 429 when it asks too much at once. */
  readonly answerPeer: ProbeAnswers['ask'];
  /** Makes checks for another node; null: this one shares no database. */
  readonly answerNode: (question: NodeQuestion) => Promise<NodeAnswer | NodeConflict | null>;
  /** One transaction; resolves with its answers once it is durable. */
  readonly write: (operations: readonly Operation[]) => Promise<readonly Json[]>;
  /** Ends the silence or the banner of a number. Resolves with how many ended. */
  readonly end: (what: typeof silences | typeof announcements, id: number) => Promise<number>;
  /** Checks a monitor out of turn. Resolves once it was checked (true), or after a few seconds (false). */
  readonly checkNow: (id: string) => Promise<boolean>;
  /** What is worth keeping, but nobody waits for. */
  readonly note: (operations: readonly Operation[]) => void;
  /** The number and the uid of a new row of the operator. */
  readonly identity: (topic: IdentityTopic) => RowIdentity;
  /** A name that nothing had before. */
  readonly newUid: () => string;
}

/** One request that was let in. */
export interface RouteCall<P extends Parameters> {
  readonly values: ParameterValues<P>;
  /** The token that let the request in stood in its path, where else an id stands. */
  readonly hasPathToken: boolean;
  /** What exists for the caller. */
  readonly scope: ViewerScope;
  readonly effects: Effects;
  readonly body: Buffer;
  readonly nowAt: number;
  /** What the client would like to get, and what it has. */
  readonly headers: IncomingHttpHeaders;
  /** Where the client reaches this server, without a slash at its end. */
  readonly origin: () => string;
  readonly site: PageContext;
  /** Of the program. */
  readonly version: string;
  /** The link of a message or a mail that brought the request does not work; that is counted and logged. */
  readonly noteWrongLink: () => void;
  /** Counts a mail that a stranger asks for against the limit of the client; throws a 429 when that is used up. */
  readonly countMail: () => void;
  /** Masks the secrets of the configuration in what is to be kept. */
  readonly redact: (text: string) => string;
}

interface Described {
  readonly doc: string;
  readonly schema: AnswerSchema;
}

/** JSON of a shape, text of one of some types, or no body. */
export type RouteReply = Described | { readonly doc: string; readonly types: readonly string[] };

export interface RouteRow<P extends Parameters> {
  readonly method: Method;
  /** With the parameters of the path in braces. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: P;
  readonly access: Access;
  /** The address works with slashes at its end, too, as senders may have it. All rows of a path say the same. */
  readonly mayEndInSlashes?: true;
  /** The limit that a request counts against; null: none. */
  readonly limit: Limit | null;
  /**
   * With `isForm` it may come from a form of a page, too, or be left out. With `hasParameters` it brings those of the query
   * that are left out there, and the handler gets them as values.
   */
  readonly body?: Described & { readonly isForm?: true; readonly hasParameters?: true };
  /** What it answers when all is well, by status. */
  readonly answers: Readonly<Record<number, RouteReply>>;
  /** The statuses of its problems, those that every route has aside. */
  readonly problems: readonly number[];
  readonly handle: (call: RouteCall<P>) => Promise<HttpReply> | HttpReply;
}

export type Route = RouteRow<Parameters>;

/** A row whose handler gets the values that its parameters declare. */
export function route<const P extends Parameters>(row: RouteRow<P>): Route {
  return { ...row, handle: (call) => row.handle(call as RouteCall<P>) };
}
