import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from '../../../src/engine/probes/check.ts';
import type { ProbedMonitor } from '../../../src/engine/probes/probe.ts';
import type { AddressFamily } from '../../../src/engine/net/address.ts';
import type { TraceEvent } from '../../../src/engine/net/tracer.ts';
import { startHttp, startHttps, startRaw } from '../../support/http-target.ts';
import { aMonitor, probeContext } from '../../support/probing.ts';
import { createAuthority } from '../../support/tls.ts';

/** Checks under the eyes of a witness, and without. */
async function seen(monitor: ProbedMonitor) {
  const tracks: { families: readonly AddressFamily[]; sightings: TraceEvent[] }[] = [];
  const witness = (families: readonly AddressFamily[]) => {
    const traceEvents: TraceEvent[] = [];
    tracks.push({ families, sightings: traceEvents });
    return (traceEvent: TraceEvent) => {
      traceEvents.push(traceEvent);
    };
  };
  const { result } = await check({ ...monitor, probe_retries: 0 }, probeContext({ openTracer: witness }));
  const [{ sightings } = { sightings: [] }] = tracks;
  return { result, tracks, sightings, phases: phasesOf(sightings) };
}

/** `+dns -dns` as phases begin and end. */
function phasesOf(traceEvents: readonly TraceEvent[]): string {
  return traceEvents
    .flatMap((one) => ('phase' in one ? [`${one.kind === 'begins' ? '+' : '-'}${one.phase}`] : []))
    .join(' ');
}

const ofKind = <Kind extends TraceEvent['kind']>(traceEvents: readonly TraceEvent[], kind: Kind) =>
  traceEvents.filter((one): one is Extract<TraceEvent, { kind: Kind }> => one.kind === kind);

describe('a tracer of a probe', () => {
  it('is given every request, phase and answer on the way, each once', async () => {
    const target = await startHttp((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/there' }).end('moved');
      else response.end('hello');
    });
    const { port } = target;
    const monitor = aMonitor('http', { target: `http://localhost:${port}/` });
    const { sightings, phases, result } = await seen(monitor);
    await target.close();
    const leg = '+dns -dns +connect -connect +wait -wait +body -body';
    assert.equal(phases, `${leg} ${leg}`);
    assert.deepEqual(
      ofKind(sightings, 'request').map(({ method, url }) => `${method} ${url}`),
      [`GET http://localhost:${port}/`, `GET http://localhost:${port}/there`],
    );
    assert.deepEqual(
      ofKind(sightings, 'answer').map(({ statusCode, bodyBytes, end }) => [statusCode, bodyBytes, end]),
      [
        [302, 0, 'cut'],
        [200, 5, 'complete'],
      ],
    );
    assert.deepEqual(
      new Set(ofKind(sightings, 'connected').map(({ address }) => address)),
      new Set(['127.0.0.1']),
    );
    assert.equal(result.outcome, 'healthy');
    assert.equal(result.answer?.statusLine, 'HTTP/1.1 200 OK');
  });

  it('costs an ordinary check nothing: the answer of a healthy target is not kept', async () => {
    const target = await startHttp((_, response) => response.end('hello'));
    const monitor = aMonitor('http', { target: target.origin });
    const { result } = await check(monitor, probeContext());
    await target.close();
    assert.equal(result.answer, null);
  });

  it('sees the certificate and why it is not trusted', async () => {
    const authority = createAuthority();
    const pair = authority.issue({ names: ['localhost'] });
    const target = await startHttps((_, response) => response.end(), pair);
    const { sightings, phases } = await seen(
      aMonitor('http', { target: `https://localhost:${target.port}/`, tls_verify: false }),
    );
    await target.close();
    authority.remove();
    const [secured] = ofKind(sightings, 'secured');
    assert.equal(secured?.protocol, 'TLSv1.3');
    assert.equal(secured.certificate?.spkiSha256, pair.spkiSha256);
    assert.match(secured.distrust ?? '', /comes from an unknown authority/);
    assert.match(phases, /-connect \+tls -tls \+wait/);
  });

  it('is left in the phase in which the probe breaks off', async () => {
    const silent = await startRaw(() => undefined);
    const target = `https://127.0.0.1:${silent.port}/`;
    const { phases } = await seen(aMonitor('http', { target, timeout_secs: 0.2 }));
    await silent.close();
    assert.equal(phases, '+connect -connect +tls');
  });

  it('is given an address that does not take the connection', async () => {
    const { port, close } = await startHttp((_, response) => response.end());
    await close();
    const { sightings, phases } = await seen(aMonitor('tcp', { target: `127.0.0.1:${port}` }));
    assert.equal(phases, '+connect');
    assert.deepEqual(ofKind(sightings, 'unreached'), [
      { kind: 'unreached', address: '127.0.0.1', message: `connection refused by 127.0.0.1:${port}` },
    ]);
  });

  it('is separate for each family where both must answer', async () => {
    const target = await startHttp((_, response) => response.end());
    const { tracks } = await seen(aMonitor('tcp', { target: `localhost:${target.port}`, dual_stack: true }));
    await target.close();
    assert.deepEqual(
      tracks.map(({ families }) => families),
      [[4], [6]],
    );
    assert.match(phasesOf(tracks[0]?.sightings ?? []), /^\+dns -dns \+connect -connect$/);
  });
});
