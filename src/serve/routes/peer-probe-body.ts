/** Reads which target a peer asks about. */
import { HttpProblem } from '../problem.ts';
import { fieldsOf } from './json-body.ts';
import type { AnswerSchema } from './schema.ts';

export interface ProbeAsked {
  readonly id: string | null;
  readonly kind: string;
  readonly target: string;
}

const bounds = { from: 64, id: 64, kind: 16, target: 4096 };

const field = (name: keyof typeof bounds, description: string) => ({
  type: ['string', 'null'],
  maxLength: bounds[name],
  description,
});

export const probeBody: AnswerSchema = {
  type: 'object',
  required: ['kind', 'target'],
  properties: {
    from: field('from', 'What the peer calls itself. The token says who it is.'),
    id: field('id', 'The id it has for the monitor; one with the same id is preferred.'),
    kind: { type: 'string', maxLength: bounds.kind },
    target: { type: 'string', maxLength: bounds.target },
  },
};

/** Throws a 400 that names what is wrong. What is too long can be no target of ours, so it is not cut. */
export function readProbeAsked(body: Buffer): ProbeAsked {
  const fields = fieldsOf(body);
  textOf(fields, 'from');
  const kind = textOf(fields, 'kind');
  const target = textOf(fields, 'target');
  if (kind === null || target === null) throw new HttpProblem(400, 'kind and target are needed.');
  return { id: textOf(fields, 'id'), kind, target };
}

function textOf(fields: ReadonlyMap<string, unknown>, name: keyof typeof bounds): string | null {
  const value = fields.get(name) ?? null;
  if (value === null) return null;
  if (typeof value === 'string' && value.length <= bounds[name]) return value;
  throw new HttpProblem(400, `${name} must be a text of at most ${bounds[name]} characters.`);
}
