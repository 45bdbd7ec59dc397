/** Leads a request to its row: known path, method, caller, rate, parameters, then the handler. */
import type { Config } from '../engine/config/config.ts';
import type { Loaded } from '../engine/config/load.ts';
import { admit, type Admission } from './access/admit.ts';
import { presentedBy } from './access/token.ts';
import { clientKey } from './client/address.ts';
import { withHeaders, type Answer, type Handler, type Request } from './exchange.ts';
import { answered, type ProblemsOptions } from './layers/problems.ts';
import type { Limiter, Payer } from './limit/limiter.ts';
import { Problem, problemAnswer } from './problem.ts';
import { readParameters } from './routes/parameter.ts';
import type { Effects, Method, Route } from './routes/route.ts';
import type { FindRoute, Found } from './routes/table.ts';
import type { SightOf } from './sight/sight.ts';
import { readTarget } from './target.ts';

export interface DispatchOptions extends ProblemsOptions {
  readonly find: FindRoute;
  readonly loaded: () => Pick<Loaded, 'config' | 'redact'>;
  readonly clientIp: (request: Request, config: Config) => string;
  readonly limiter: Limiter;
  readonly sightOf: SightOf;
  readonly effects: Effects;
  readonly now: () => number;
}

interface Matched {
  readonly row: Route;
  readonly path: Found['path'];
  readonly query: URLSearchParams;
}

export function dispatch(options: DispatchOptions): Handler {
  return (request) => {
    const { segments, query } = readTarget(
      request.method === 'OPTIONS' && request.target === '*' ? '/*' : request.target,
    );
    const found = options.find(segments);
    if (found === null) throw new Problem(404, 'There is nothing at this address.');
    const allow = allowedMethods(found);
    if (request.method === 'OPTIONS') {
      return Promise.resolve({ status: 204, headers: { allow }, body: '' });
    }
    const row = found.rows.get(request.method === 'HEAD' ? 'GET' : (request.method as Method));
    if (row === undefined) throw new Problem(405, `This address takes ${allow}.`, { allow });
    return limited(request, { row, path: found.path, query }, options);
  };
}

async function limited(request: Request, matched: Matched, options: DispatchOptions): Promise<Answer> {
  const { config } = options.loaded();
  const { row, path, query } = matched;
  const presented = presentedBy(request.headers, query);
  const admission = admit(row.access, { presented, id: path['id'] ?? null }, config);
  if (!row.isLimited) return called(request, matched, { admission, options });
  const taken = options.limiter.take(payerOf(request, matched, { admission, options }));
  const headers = options.limiter.headersOf(taken);
  const answer = taken.isAllowed
    ? await answered(request, () => called(request, matched, { admission, options }), options)
    : problemAnswer(new Problem(429, 'Too many requests. Try again later.'));
  return withHeaders(answer, headers);
}

interface Admitted {
  readonly admission: Admission;
  readonly options: DispatchOptions;
}

function payerOf(request: Request, { row, path }: Matched, { admission, options }: Admitted): Payer {
  if (admission.kind === 'admitted' && admission.hasProof) {
    return { kind: 'producer', key: `${row.access}:${path['id'] ?? ''}` };
  }
  return { kind: 'client', address: clientKey(options.clientIp(request, options.loaded().config)) };
}

async function called(request: Request, matched: Matched, { admission, options }: Admitted): Promise<Answer> {
  if (admission.kind === 'refused') throw admission.problem;
  const { row } = matched;
  const body = row.method === 'GET' ? Buffer.alloc(0) : await request.body();
  const { effects, sightOf } = options;
  const { redact } = options.loaded();
  const values = readParameters(row.parameters, { path: matched.path, query: matched.query, redact });
  return row.handle({
    values,
    sight: sightOf(admission.viewer),
    effects,
    body,
    nowAt: options.now(),
    redact,
  });
}

function allowedMethods({ rows }: Found): string {
  const methods = [...rows.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...methods, 'OPTIONS'].join(', ');
}
