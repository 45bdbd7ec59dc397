import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPainter } from '../../src/tui/painter.ts';
import { randomOf } from '../support/random.ts';
import { createPtyScreen } from '../support/pty-screen.ts';

function watched() {
  const writes: string[] = [];
  return { writes, painter: createPainter((text) => writes.push(text)) };
}

describe('the painter', () => {
  it('writes only the lines that changed', () => {
    const { writes, painter } = watched();
    painter.show(['one', 'two', 'three']);
    painter.show(['one', 'TWO', 'three']);
    assert.equal(writes[1], '\u001b[?2026h\u001b[2;1H\u001b[2KTWO\u001b[?2026l');
  });

  it('writes nothing when nothing changed', () => {
    const { writes, painter } = watched();
    painter.show(['one']);
    painter.show(['one']);
    assert.equal(writes.length, 1);
  });

  it('writes everything again when the screen was lost', () => {
    const { writes, painter } = watched();
    painter.show(['one']);
    painter.forget();
    painter.show(['one']);
    assert.equal(writes[0], writes[1]);
  });

  it('leaves on the screen what it was given, whatever stood there', () => {
    const random = randomOf(7);
    const screen = createPtyScreen(12, 6);
    screen.take('\u001b[?1049h');
    const painter = createPainter(screen.take);
    for (let round = 0; round < 300; round++) {
      if (random.below(20) === 0) painter.forget();
      const lines = Array.from({ length: random.below(7) }, () => 'x'.repeat(random.below(13)));
      painter.show(lines);
      assert.equal(screen.text().trimEnd(), lines.join('\n').trimEnd());
    }
  });
});
