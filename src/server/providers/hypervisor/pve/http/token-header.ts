import { ProviderError } from '../../errors';

/** `user@realm!name=secret`; the split between id and secret is at the last `=`. */
const TOKEN = /^(?<id>[^\s:/]+@[A-Za-z][A-Za-z0-9._-]+![A-Za-z][A-Za-z0-9._-]+)=(?<secret>[^\s=]+)$/u;

/** The server cuts the value at `;` and percent-decodes it; header values must be ASCII. */
const encode = (text: string) => text.replace(/[%;]|[^\x21-\x7e]/gu, encodeURIComponent);

/**
 * The value of the Authorization header for an API token.
 * @throws ProviderError `unauthorized` when the token does not have the form of one; the secret is not repeated.
 */
export function tokenHeader(apiToken: string): string {
  const groups = TOKEN.exec(apiToken.trim())?.groups;
  if (!groups?.id || !groups.secret) {
    throw new ProviderError(
      'unauthorized',
      'The API token does not have the form user@realm!name=secret',
      'Copy the token id and its secret from Datacenter → Permissions → API Tokens and join them with an equals sign.',
    );
  }
  return `PVEAPIToken=${encode(groups.id)}=${encode(groups.secret)}`;
}
