/** One table of [[tests]] to a draft, with everything that is wrong in it. */
import { faulty, type ConfigFinding } from '../../../engine/config/finding.ts';
import type { RawTable } from '../../../engine/config/parse.ts';
import type { Path } from '../../../engine/config/types/value.ts';
import { readEvent } from './read-event.ts';
import { readExpectation } from './read-expectation.ts';
import { each, readKeys } from './read-keys.ts';
import { testsSection, type TestValues } from './rows.ts';
import { alwaysUp, seriesType } from './series.ts';
import type { TestDraft } from './test-file.ts';

export interface DraftReading {
  /** As far as it could be read. */
  readonly draft: TestDraft;
  readonly findings: readonly ConfigFinding[];
}

export function readTest(raw: unknown, path: Path): DraftReading {
  const { values, findings } = readKeys<TestValues>(raw, path, testsSection);
  const series = readSeries(values.series ?? {}, [...path, 'series']);
  const events = each(values.events, [...path, 'events'], readEvent);
  const expectations = each(values.expect, [...path, 'expect'], readExpectation);
  return {
    draft: {
      path,
      name: values.name ?? '',
      startAt: values.start ?? 0,
      untilMs: values.until ?? null,
      settings: values.settings ?? {},
      series: series.series,
      events: events.found,
      expectations: expectations.found,
    },
    findings: [...findings, ...series.findings, ...events.findings, ...expectations.findings],
  };
}

/** Where a series is wrong another stands in for it, so that its name is looked at all the same. */
function readSeries(
  raw: RawTable,
  path: Path,
): { readonly series: TestDraft['series']; readonly findings: readonly ConfigFinding[] } {
  const readings = Object.entries(raw).map(([id, given]) => [id, seriesType.read(given)] as const);
  return {
    series: Object.fromEntries(
      readings.map(([id, reading]) => [id, reading.isGood ? reading.value : alwaysUp]),
    ),
    findings: readings.flatMap(([id, reading]) =>
      reading.isGood ? [] : reading.faults.map((fault) => faulty([...path, id], fault)),
    ),
  };
}
