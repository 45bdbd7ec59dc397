/** The output formats of `check`; a run loads the one it prints. */
import type { Renderer } from './report.ts';

export const formats = ['human', 'json', 'ndjson', 'junit', 'tap', 'github', 'nagios'] as const;
export type CheckFormat = (typeof formats)[number];

const loaders: Readonly<Record<CheckFormat, () => Promise<{ readonly renderer: Renderer }>>> = {
  human: () => import('./render/human.ts'),
  json: () => import('./render/json.ts'),
  ndjson: async () => ({ renderer: (await import('./render/json.ts')).lineRenderer }),
  junit: () => import('./render/junit.ts'),
  tap: () => import('./render/tap.ts'),
  github: () => import('./render/github.ts'),
  nagios: () => import('./render/nagios.ts'),
};

/** Whether a format says where in the configuration a monitor stands. Finding out means reading the file again. */
export function hasPositions(format: CheckFormat): boolean {
  return format === 'junit' || format === 'tap' || format === 'github';
}

/**
 * The renderer of a format, handed nothing but printable text. The JSON formats get the text as it is:
 * they escape what another program may still want to read.
 */
export async function rendererOf(format: CheckFormat): Promise<Renderer> {
  const { renderer } = await loaders[format]();
  if (format === 'json' || format === 'ndjson') return renderer;
  const { cleanProblem, cleanReport, cleanVerdict } = await import('./clean.ts');
  const { warnings } = renderer;
  return {
    report: (report, checkView) => renderer.report(cleanReport(report), checkView),
    config: (verdict, checkView) => renderer.config(cleanVerdict(verdict), checkView),
    ...(warnings === undefined ? {} : { warnings: (problems) => warnings(problems.map(cleanProblem)) }),
  };
}
