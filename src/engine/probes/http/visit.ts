/** Requests a URL that is not a monitor's target, over IPv4 or IPv6. */
import { judgeCertificate } from '../../net/judge-certificate.ts';
import { loadHttpClient } from '../../net/http/client.ts';
import { follow, type FollowTerms, type Visit } from './follow.ts';
import { PhaseTimes } from '../../net/http/phase-times.ts';
import type { HttpRequest } from '../../net/http/request.ts';

export interface VisitTerms
  extends Pick<
    FollowTerms,
    'ctx' | 'deadline' | 'maxBodyBytes' | 'followsRedirects' | 'onUnanswered' | 'isLenient'
  > {
  /** Default: straight, trusting what this machine trusts. */
  readonly way?: ServerAccess;
}

/** How a server is reached, and by what it is trusted. */
export interface ServerAccess {
  readonly proxy: string | null;
  /** PEM authorities trusted besides those of this machine. */
  readonly ca_file: string | null;
  readonly tls_verify: boolean;
}

const straight: ServerAccess = { proxy: null, ca_file: null, tls_verify: true };

/** Rejects with a ProbeFault when there is no answer at all. */
export async function visit(request: HttpRequest, { way = straight, ...terms }: VisitTerms): Promise<Visit> {
  await loadHttpClient();
  return follow(request, {
    ...terms,
    monitor: { proxy: way.proxy, tls_ca_file: way.ca_file },
    families: [4, 6],
    times: new PhaseTimes(),
    judgeTls: (secured) => {
      judgeCertificate(secured, { tls_verify: way.tls_verify, cert_pin: null });
    },
  });
}
