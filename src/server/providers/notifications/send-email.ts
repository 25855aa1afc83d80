import { connect, isIP, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type { SMTP_SECURITY } from '@/domain/notifications/settings';
import { type AddressGuard, guardedLookup, RefusedAddressError } from '../net/address-guard';
import { DeliveryError } from '../net/delivery-error';

export type SmtpServer = {
  host: string;
  port: number;
  security: (typeof SMTP_SECURITY)[number];
  credentials: { user: string; password: string } | null;
  guard: AddressGuard;
  /** Trusted certificate authorities in addition to those of the system; for tests. */
  ca?: string;
  timeoutMs?: number;
};

export type Email = { from: string; to: readonly string[]; subject: string; text: string; delivery_id: string };

/** A recipient that the server did not take, and why. */
export type RefusedRecipient = { recipient: string; status: number | null };

const TIMEOUT_MS = 30_000;

type Failure = Error & { code?: string; responseCode?: number; command?: string; rejected?: string[] };

const refused = (host: string, cause: RefusedAddressError) =>
  new DeliveryError(
    `${cause.messageFor(host)}. Add it to FABRIC_ALLOW_PRIVATE_TARGETS, for example 127.0.0.1/32 for a mail server on the same machine.`,
    { retry: false },
  );

function toDeliveryError(host: string, cause: Failure): DeliveryError {
  if (cause instanceof DeliveryError) return cause;
  if (cause instanceof RefusedAddressError) return refused(host, cause);
  const status = cause.responseCode;
  if (cause.code === 'EAUTH') {
    return new DeliveryError(
      `${host} rejected the sign-in (${status ?? 'no status'}). Check the user name and password.`,
      {
        retry: true,
        status,
        cause,
      },
    );
  }
  if (status !== undefined) {
    const what = cause.command ? ` to ${cause.command.slice(0, 20)}` : '';
    const whom = cause.rejected?.length ? ` for ${cause.rejected.join(', ')}` : '';
    return new DeliveryError(`${host} returned status ${status}${what}${whom}.`, {
      retry: status < 500,
      status,
      cause,
    });
  }
  if (cause.code === 'ETLS') {
    return new DeliveryError(`TLS with ${host} failed. Check the security setting and the certificate.`, {
      retry: true,
      cause,
    });
  }
  return new DeliveryError(`Delivery through ${host} failed: ${cause.code ?? 'connection lost'}`, {
    retry: true,
    cause,
  });
}

/** Opens the connection ourselves: to an address that the guard allows, and to no other. */
function openSocket({ host, port, guard, timeoutMs = TIMEOUT_MS }: SmtpServer): Promise<Socket> {
  const reason = isIP(host) > 0 ? guard.refusal(host) : null;
  if (reason !== null) return Promise.reject(refused(host, new RefusedAddressError(host, reason)));
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: guardedLookup(guard), timeout: timeoutMs });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.once('error', fail);
    socket.once('timeout', () => fail(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/**
 * Sends one email to all recipients.
 * @returns the recipients that the server refused, when it took others
 * @throws DeliveryError
 */
export async function sendEmail(server: SmtpServer, email: Email): Promise<RefusedRecipient[]> {
  const { host, port, security, credentials, ca, timeoutMs = TIMEOUT_MS } = server;
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    ...(ca !== undefined && { tls: { ca } }),
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options, callback) => {
      openSocket(server).then(
        (opened) => {
          socket = opened;
          callback(null, { connection: opened });
        },
        (error: Error) => callback(error),
      );
    },
  });
  const late = new Promise<never>((_, reject) => {
    const error = new DeliveryError(`${host} did not complete the delivery within ${timeoutMs / 1000} s.`, {
      retry: true,
    });
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    const { from, to, subject, text, delivery_id } = email;
    const sending = transport.sendMail({
      from,
      to: [...to],
      subject,
      text,
      messageId: `<${delivery_id}@fabric.invalid>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Fabric-Delivery': delivery_id },
    });
    const { rejected, rejectedErrors } = await Promise.race([sending, late]);
    return rejected.map((recipient) => {
      const error = rejectedErrors?.find((one) => one.recipient === recipient);
      return { recipient, status: error?.responseCode ?? null };
    });
  } catch (error) {
    throw toDeliveryError(host, error as Failure);
  } finally {
    clearTimeout(timer);
    transport.close();
    socket?.destroy();
  }
}
