/** Asks a question with the probes and the defaults that a configuration would give it. */
import type { Redact } from '../../engine/config/redact.ts';
import type { ProbeResult } from '../../engine/core/probe.ts';
import { check } from '../../engine/probes/check.ts';
import type { Context } from '../context.ts';
import { environmentOf } from '../outside.ts';
import { type AskedConfig, questionConfig } from './question-config.ts';
import type { ProbeQuestion } from './target.ts';

export interface Asker {
  readonly probe: (question: ProbeQuestion) => Promise<ProbeResult>;
  /** Masks what looks like a secret in the targets asked so far. */
  readonly redact: Redact;
}

export function createAsker(context: Pick<Context, 'clock' | 'env' | 'interrupt'>): Asker {
  const environment = environmentOf(context, (text) => text);
  const loaded = new Map<string, Promise<AskedConfig>>();
  const masks = new Set<Redact>();
  return {
    redact: (text) => [...masks].reduce((masked, mask) => mask(masked), text),
    probe: async (question) => {
      const key = `${question.kind} ${question.target}`;
      const loading = loaded.get(key) ?? questionConfig(question);
      loaded.set(key, loading);
      const { monitor, redact } = await loading;
      masks.add(redact);
      return (await check(monitor, { ...environment, redact })).result;
    },
  };
}
