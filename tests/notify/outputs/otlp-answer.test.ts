import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import protobuf from 'protobufjs';
import { readRejection } from '../../../src/notify/outputs/otlp-answer.ts';
import { startOutput, type RunningOutput } from '../../../src/notify/outputs/output.ts';
import { until } from '../../support/daemon.ts';
import { startHttp, type Target } from '../../support/http-target.ts';
import { casesOf, printedSeed, randomOf } from '../../support/random.ts';
import { openOutputWorld, type OutputWorld } from './running.ts';

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
    assert.deepEqual(readRejection(rejecting(7, 'too old')), { samples: 7, message: 'too old' });
    assert.deepEqual(readRejection(rejecting('4611686018427387904', '')), { samples: 2 ** 62, message: '' });
    const more = { a: 1, b: 2, c: 3, d: 'later', rejectedDataPoints: 300, errorMessage: 'ü' };
    assert.deepEqual(readRejection(encoded({ partialSuccess: more, later: { rejectedDataPoints: 9 } })), {
      samples: 300,
      message: 'ü',
    });
  });

  it('takes everything when it is empty, warns only, or rejects less than nothing', () => {
    for (const answer of [Buffer.alloc(0), encoded({}), rejecting(0, 'a warning'), rejecting(-1, 'odd')])
      assert.equal(readRejection(answer), null);
  });

  it('takes everything when it is damaged or something else', () => {
    const whole = rejecting(300, 'too old');
    for (let length = 0; length < whole.length; length += 1)
      assert.equal(readRejection(whole.subarray(0, length)), null, `${length} bytes of it`);
    for (const text of [
      '{"partialSuccess":{"rejectedDataPoints":"7"}}',
      '<html>',
      'ok\n',
      '\x0a\xff\xff\xff\xff\xff',
    ])
      assert.equal(readRejection(Buffer.from(text, 'latin1')), null, text);
    // A number that ends with the message, one without an end, and a length beyond any memory.
    assert.equal(readRejection(Buffer.from('0a0208ac', 'hex')), null);
    assert.equal(readRejection(Buffer.alloc(64 * 1024, 0xff)), null);
    assert.equal(readRejection(Buffer.from('0affffffffffffffffff01', 'hex')), null);
  });

  it('is read to an end, whatever its bytes are', () => {
    const random = randomOf(printedSeed());
    for (let round = 0; round < casesOf(2000, 100_000); round += 1) {
      const answer = Buffer.from(rejecting(random.below(2 ** 31), 'a message'));
      for (let count = random.below(4); count >= 0; count -= 1)
        answer[random.below(answer.length)] = random.below(256);
      const read = readRejection(answer.subarray(0, random.below(answer.length + 1)));
      assert.ok(read === null || read.samples > 0);
    }
  });
});

describe('an output whose receiver takes a part', () => {
  let receiver: Target;
  let world: OutputWorld;
  let running: RunningOutput | null = null;
  let requests = 0;
  beforeEach(() => {
    world = openOutputWorld();
    requests = 0;
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
      output: await world.configured(type, receiver.origin, settings),
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

  it('counts no more as failed than it sent', async () => {
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
