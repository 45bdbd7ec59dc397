/** Compares how mail is encrypted here with how another program does it. */
import type { Remarks } from './item.ts';

interface MailServer {
  readonly port: number;
  /** TLS from the first byte. */
  readonly isImplicit: boolean;
  readonly hasLogin: boolean;
  /** The other program never uses STARTTLS. */
  readonly isSkipped: boolean;
}

const cure = 'give the server a certificate, or use port 25 without a login';

/**
 * The email channel requires STARTTLS on port 587 and for a login (settingsOf in notify/channels/smtp.ts). Other programs
 * send without TLS where the server offers none, and their mails would stop.
 */
export function remarkOnRelay(server: MailServer, remarks: Remarks): void {
  const { port, isImplicit, hasLogin, isSkipped } = server;
  if (isImplicit) return;
  const isRequired = hasLogin || port === 587;
  const why = hasLogin ? 'for a login' : 'on port 587';
  if (isSkipped && isRequired)
    remarks.drop(`sends without TLS: statusd requires STARTTLS ${why} and sends no mail without it; ${cure}`);
  else if (isSkipped) remarks.approximate('sends without TLS: statusd uses STARTTLS where it is offered');
  else if (isRequired)
    remarks.approximate(
      `sends without TLS if the server offers no STARTTLS: statusd requires it ${why} and would send no mail; ${cure}`,
    );
}
