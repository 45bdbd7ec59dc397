/** Asks a server that is no target: by the certificates of this machine, over no proxy, by either family of addresses. */
import { judgeCertificate } from '../../net/judge-certificate.ts';
import { loadHttpClient } from '../../net/http/client.ts';
import { follow, type FollowTerms, type Visit } from './follow.ts';
import { PhaseTimes } from '../../net/http/phase-times.ts';
import type { HttpRequest } from '../../net/http/request.ts';

export type VisitTerms = Pick<
  FollowTerms,
  'ctx' | 'deadline' | 'maxBodyBytes' | 'followsRedirects' | 'onUnanswered'
>;

/** Rejects with a ProbeFault when there is no answer at all. */
export async function visit(request: HttpRequest, terms: VisitTerms): Promise<Visit> {
  await loadHttpClient();
  return follow(request, {
    ...terms,
    monitor: { proxy: null, tls_ca_file: null },
    families: [4, 6],
    times: new PhaseTimes(),
    judgeTls: (secured) => {
      judgeCertificate(secured, { tls_verify: true, cert_pin: null });
    },
  });
}
