/** Reads a request target, which may be anything. */
import { HttpProblem } from './problem.ts';

export interface RequestTarget {
  /** The segments of the path, decoded. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** The target in origin form (`/path?query`) or absolute form (`http://host/path`). Throws a 400 for anything else. */
export function readTarget(written: string): RequestTarget {
  const relative = written.replace(/^https?:\/\/[^/?#]*/i, '');
  const [beforeHash = ''] = relative.split('#');
  const mark = beforeHash.indexOf('?');
  const path = mark === -1 ? beforeHash : beforeHash.slice(0, mark);
  const isRoot = path === '' && relative !== written;
  if (!path.startsWith('/') && !isRoot) throw new HttpProblem(400, 'The request target is no path.');
  return {
    segments: path.slice(1).split('/').map(decodeSegment),
    query: new URLSearchParams(mark === -1 ? '' : beforeHash.slice(mark + 1)),
  };
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpProblem(400, 'The path has a percent sign that starts no valid character.');
  }
}
