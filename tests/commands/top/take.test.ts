import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Jobs, takeTerminal, type Terminal } from '../../../src/commands/top/terminal.ts';

const entered = '\u001b[?1049h';
const left = '\u001b[?1049l';

/** Everything that is written to a terminal, and what its shell does to the program. */
function makeTerminal() {
  let text = '';
  let isRaw = true;
  let goOn = () => {};
  const stdin = { setRawMode: (isOn: boolean) => (isRaw = isOn) } as unknown as Terminal['stdin'];
  const size = () => ({ columns: 80, rows: 24 });
  const write = (more: string) => (text += more);
  const terminal: Terminal = { stdin, write, size, onResize: () => () => {} };
  const jobs: Jobs = {
    onStop: () => () => {},
    onContinue: (listener) => {
      goOn = listener;
      return () => {};
    },
    onExit: () => () => {},
    stop: () => {},
  };
  const last = () => (text.lastIndexOf(entered) > text.lastIndexOf(left) ? 'entered' : 'left');
  return {
    terminal,
    jobs,
    continued: () => {
      goOn();
    },
    last,
    isRaw: () => isRaw,
  };
}

it('does not take the terminal again when it ends right after it was stopped', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { terminal, jobs, continued, last } = makeTerminal();
  const stay = takeTerminal(terminal, jobs, () => {});
  stay.suspend();
  continued();
  assert.equal(last(), 'entered');
  stay.leave();
  t.mock.timers.tick(1000);
  assert.equal(last(), 'left');
});

it('goes on by itself where no shell continues it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { terminal, jobs, last, isRaw } = makeTerminal();
  const stay = takeTerminal(terminal, jobs, () => {});
  stay.suspend();
  assert.deepEqual([last(), isRaw()], ['left', false]);
  t.mock.timers.tick(1000);
  assert.deepEqual([last(), isRaw()], ['entered', true]);
});
