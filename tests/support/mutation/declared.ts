/** Tests as a file declares them, and how one after the other is run: as much of node:test as the tests use. */

/** What a test is handed. */
interface Context {
  readonly diagnostic: (message: string) => void;
  readonly after: (work: Work) => void;
}

type Work = (context: Context) => unknown;
type Options = Readonly<Record<string, unknown>>;

/** Each takes a name, options that may be left out, and what it declares. */
type DeclareOne = (...words: readonly (string | Options | Work)[]) => void;

export interface Declare {
  readonly describe: DeclareOne;
  readonly it: DeclareOne;
  readonly test: DeclareOne;
  readonly before: (work: Work) => void;
  readonly after: (work: Work) => void;
  readonly beforeEach: (work: Work) => void;
  readonly afterEach: (work: Work) => void;
}

interface Suite {
  readonly parent: Suite | null;
  readonly name: string;
  readonly hooks: Readonly<Record<'before' | 'after' | 'beforeEach' | 'afterEach', Work[]>>;
  readonly entries: (Suite | Test)[];
}

interface Test {
  readonly id: string;
  readonly work: Work;
}

const nothing: Work = () => undefined;

export interface RunOptions {
  /** Whether a test is run, by its id. */
  readonly isWanted: (id: string) => boolean;
  /** Runs `work`; answers the error, null without one. */
  readonly guard: (id: string, work: () => unknown) => Promise<unknown>;
  /** A test ended; false: nothing more is to be run. */
  readonly ended: (result: TestResult) => boolean;
}

export interface TestResult {
  readonly id: string;
  readonly error: unknown;
  readonly ms: number;
}

/** What one file declares. */
export class DeclaredFile {
  private suite: Suite;
  private readonly ids = new Set<string>();

  constructor(name: string) {
    this.suite = suiteOf(null, name);
  }

  readonly declare: Declare = {
    describe: (...words) => {
      const outer = this.suite;
      this.suite = suiteOf(outer, nameOf(words));
      outer.entries.push(this.suite);
      void workOf(words)(contextOf([]));
      this.suite = outer;
    },
    it: (...words) => {
      this.add(words);
    },
    test: (...words) => {
      this.add(words);
    },
    before: (work) => this.suite.hooks.before.push(work),
    after: (work) => this.suite.hooks.after.push(work),
    beforeEach: (work) => this.suite.hooks.beforeEach.push(work),
    afterEach: (work) => this.suite.hooks.afterEach.push(work),
  };

  /** Runs what is wanted. */
  async run(options: RunOptions): Promise<void> {
    await runSuite(this.suite, options);
  }

  private add(words: readonly (string | Options | Work)[]): void {
    if (words.some((word) => typeof word === 'object' && Boolean(word['skip']))) return;
    const path = `${pathOf(this.suite)} > ${nameOf(words)}`;
    let id = path;
    for (let count = 2; this.ids.has(id); count += 1) id = `${path} (${count})`;
    this.ids.add(id);
    this.suite.entries.push({ id, work: workOf(words) });
  }
}

/** Answers whether to go on. */
async function runSuite(suite: Suite, options: RunOptions): Promise<boolean> {
  const wanted = testsOf(suite).filter(({ id }) => options.isWanted(id));
  if (wanted.length === 0) return true;
  const id = pathOf(suite);
  const { before, after } = suite.hooks;
  const broken = await options.guard(id, () => runAll(before));
  let goesOn = broken === null || options.ended({ id: wanted[0]?.id ?? id, error: broken, ms: 0 });
  for (const entry of broken === null ? suite.entries : []) {
    if (!goesOn) break;
    if ('entries' in entry) goesOn = await runSuite(entry, options);
    else if (options.isWanted(entry.id)) goesOn = options.ended(await runTest(suite, entry, options));
  }
  await options.guard(id, () => runAll(after));
  return goesOn;
}

async function runTest(suite: Suite, { id, work }: Test, { guard }: RunOptions): Promise<TestResult> {
  const startedAt = performance.now();
  const suites = lineOf(suite);
  const cleanUps: Work[] = [];
  const error = await guard(id, async () => {
    for (const { hooks } of suites) await runAll(hooks.beforeEach);
    await work(contextOf(cleanUps));
  });
  const left = await guard(id, async () => {
    for (const { hooks } of suites.toReversed()) await runAll(hooks.afterEach);
    await runAll(cleanUps);
  });
  return { id, error: error ?? left, ms: performance.now() - startedAt };
}

async function runAll(hooks: readonly Work[]): Promise<void> {
  for (const hook of hooks) await hook(contextOf([]));
}

function contextOf(cleanUps: Work[]): Context {
  return { diagnostic: () => undefined, after: (work) => cleanUps.push(work) };
}

function suiteOf(parent: Suite | null, name: string): Suite {
  return { parent, name, hooks: { before: [], after: [], beforeEach: [], afterEach: [] }, entries: [] };
}

/** The suite and those around it, the outermost first. */
function lineOf(suite: Suite): readonly Suite[] {
  return suite.parent === null ? [suite] : [...lineOf(suite.parent), suite];
}

function pathOf(suite: Suite): string {
  return lineOf(suite)
    .map(({ name }) => name)
    .join(' > ');
}

function testsOf({ entries }: Suite): readonly Test[] {
  return entries.flatMap((entry) => ('entries' in entry ? testsOf(entry) : [entry]));
}

function nameOf([name]: readonly unknown[]): string {
  return typeof name === 'string' ? name : '';
}

function workOf(words: readonly unknown[]): Work {
  return (words.find((word) => typeof word === 'function') as Work | undefined) ?? nothing;
}
