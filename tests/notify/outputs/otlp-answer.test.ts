import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import protobuf from 'protobufjs';
import type { OutputSettings } from '../../../src/engine/config/config.ts';
import { readRemark } from '../../../src/notify/outputs/otlp-answer.ts';
import { printable } from '../../../src/engine/net/faults.ts';
import { startOutput, type RunningOutput } from '../../../src/notify/outputs/output.ts';
import { until } from '../../support/daemon.ts';
import { startHttp, type Target } from '../../support/http-target.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';
import { hurriedBy, openOutputWorld, type OutputWorld } from './running.ts';

/** opentelemetry-proto, collector/metrics/v1; a later version may have more. */
const schema = protobuf
  .parse(`syntax = "proto3";
message ExportMetricsServiceResponse { ExportMetricsPartialSuccess partial_success = 1; Later later = 9; }
message ExportMetricsPartialSuccess { int64 rejected_data_points = 1; string error_message = 2;
  fixed64 a = 3; fixed32 b = 4; int64 c = 5; string d = 99; }
message Later { int64 rejected_data_points = 1; }`)
  .root.lookupType('ExportMetricsServiceResponse');

const encoded = (response: object) => Buffer.from(schema.encode(schema.fromObject(response)).finish());
const rejecting = (rejectedDataPoints: number | string, errorMessage: string) =>
  encoded({ partialSuccess: { rejectedDataPoints, errorMessage } });

describe('an answer of OTLP', () => {
  it('says how much was not taken, and why', () => {
    assert.deepEqual(readRemark(rejecting(7, 'too old')), { rejected: 7, message: 'too old' });
    assert.deepEqual(readRemark(rejecting('4611686018427387904', '')), { rejected: 2 ** 62, message: '' });
    const more = { a: 1, b: 2, c: 3, d: 'later', rejectedDataPoints: 300, errorMessage: 'ü' };
    assert.deepEqual(readRemark(encoded({ partialSuccess: more, later: { rejectedDataPoints: 9 } })), {
      rejected: 300,
      message: 'ü',
    });
  });

  it('takes everything when it is empty, warns only, or rejects less than nothing', () => {
    for (const answer of [Buffer.alloc(0), encoded({}), rejecting(0, ''), rejecting(-1, '')])
      assert.equal(readRemark(answer), null);
    for (const points of [0, -1])
      assert.deepEqual(readRemark(rejecting(points, 'a warning')), { rejected: 0, message: 'a warning' });
  });

  it('takes everything when it is damaged or something else', () => {
    const whole = rejecting(300, 'too old');
    for (let length = 0; length < whole.length; length += 1)
      assert.equal(readRemark(whole.subarray(0, length)), null, `${length} bytes of it`);
    for (const text of [
      '{"partialSuccess":{"rejectedDataPoints":"7"}}',
      '<html>',
      'ok\n',
      '\x0a\xff\xff\xff\xff\xff',
    ])
      assert.equal(readRemark(Buffer.from(text, 'latin1')), null, text);
    // A number that ends with the message, one without an end, and a length beyond any memory.
    assert.equal(readRemark(Buffer.from('0a0208ac', 'hex')), null);
    assert.equal(readRemark(Buffer.alloc(64 * 1024, 0xff)), null);
    assert.equal(readRemark(Buffer.from('0affffffffffffffffff01', 'hex')), null);
  });

  it('is read to an end, whatever its bytes are', () => {
    const random = randomOf(printedSeed());
    for (let round = 0; round < casesOf(2000, 100_000); round += 1) {
      const answer = Buffer.from(rejecting(random.below(2 ** 31), 'a message'));
      for (let count = random.below(4); count >= 0; count -= 1)
        answer[random.below(answer.length)] = random.below(256);
      const read = readRemark(answer.subarray(0, random.below(answer.length + 1)));
      assert.ok(read === null || read.rejected > 0 || (read.rejected === 0 && read.message !== ''));
    }
  });
});

describe('an output whose receiver takes a part', () => {
  let receiver: Target;
  let world: OutputWorld;
  let running: RunningOutput | null = null;
  let requests = 0;
  /** What the settings of the output have besides. */
  let more: Partial<OutputSettings> = {};
  beforeEach(() => {
    world = openOutputWorld();
    requests = 0;
    more = {};
  });
  afterEach(async () => {
    await running?.stop();
    running = null;
    await receiver.close();
  });
  /** Resolves when so many requests were answered. */
  const start = async (type: string, answer: (count: number) => Buffer, count: number) => {
    receiver = await startHttp((request, response) => {
      request.resume().on('end', () => {
        requests += 1;
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(answer(requests));
      });
    });
    const settings = 'headers = { Authorization = "Bearer the-secret-of-the-tests" }\n';
    const run = startOutput({
      ...world.context,
      output: { ...(await world.configured(type, receiver.origin, settings)), ...more },
    });
    running = run;
    await until(
      () => requests >= count && run.counts().queued === 0,
      () => JSON.stringify([requests, run.counts(), world.logged]),
    );
    return run.counts();
  };
  const lines = () => world.logged.map(({ message }) => message);

  it('counts what is rejected as failed, says why once without secrets, and goes on', async () => {
    const words = 'Bearer the-secret-of-the-tests\x1b[2J\r\n\u202eis over its limit.';
    const answer = (count: number) => (count < 6 ? rejecting(count, words) : Buffer.alloc(0));
    const { failed, sent, dropped } = await start('otlp', answer, 6);
    assert.deepEqual([failed, dropped], [1 + 2 + 3 + 4 + 5, 0]);
    assert.ok(sent > 100, `${sent}`);
    assert.deepEqual(lines(), [
      'output otlp: the receiver takes a request only in part: *** is over its limit; samples are lost',
    ]);
  });

  it('takes a warning for no loss, and logs it once, without secrets and shortened', async () => {
    world = openOutputWorld({ clock: hurriedBy(20) });
    const words = `Bearer the-secret-of-the-tests\x1b[2J\r\n\u202eis sent to an old address.${'x'.repeat(300)}`;
    const { failed, sent, dropped } = await start('otlp', () => rejecting(0, words), 4);
    assert.deepEqual([failed, dropped], [0, 0]);
    assert.ok(sent > 100, `${sent}`);
    const said = printable(`*** is sent to an old address.${'x'.repeat(300)}`, 200);
    assert.deepEqual(
      world.logged.map(({ level, event, message }) => [level, event, message]),
      [['warning', 'output.warning', `output otlp: the receiver warns: ${said}; all samples were taken`]],
    );
  });

  it('logs a warning anew when there was none for longer than the interval', async () => {
    const answer = (count: number) => (count === 1 || count === 25 ? rejecting(0, 'old') : Buffer.alloc(0));
    await start('otlp', answer, 26);
    const line = 'output otlp: the receiver warns: old; all samples were taken';
    assert.deepEqual(lines(), [line, line]);
  });

  it('logs a warning at each long interval once', async () => {
    world = openOutputWorld({ clock: hurriedBy(300) });
    more = { interval_secs: 300 };
    await start('otlp', () => rejecting(0, 'old'), 2);
    assert.equal(lines().length, 1);
  });

  it('loses samples that are rejected beside those about which it is warned', async () => {
    world = openOutputWorld({ clock: hurriedBy(20) });
    const answer = (count: number) => (count % 2 === 1 ? rejecting(0, 'old') : rejecting(1, 'too old'));
    const { failed, sent } = await start('otlp', answer, 4);
    assert.equal(failed, 2);
    assert.ok(sent > 0);
    assert.deepEqual(lines(), [
      'output otlp: the receiver warns: old; all samples were taken',
      'output otlp: the receiver takes a request only in part: too old; samples are lost',
    ]);
  });

  it('counts as failed at most what it sent', async () => {
    const { failed, sent } = await start('otlp', () => rejecting('9007199254740993', ''), 3);
    assert.equal(sent, 0);
    assert.ok(failed > 0 && failed < 1000, `${failed}`);
    assert.deepEqual(lines(), ['output otlp: the receiver takes a request only in part; samples are lost']);
  });

  it('takes an answer that cannot be read for one that everything was taken', async () => {
    const { failed, sent } = await start('otlp', (count) => rejecting(300, 'too old').subarray(0, -count), 5);
    assert.equal(failed, 0);
    assert.ok(sent > 0);
    assert.deepEqual(lines(), []);
  });

  it('reads nothing of the kind in an answer of remote-write, which has none', async () => {
    const { failed } = await start('remote_write', () => rejecting(3, 'too old'), 3);
    assert.equal(failed, 0);
    assert.deepEqual(lines(), []);
  });
});
