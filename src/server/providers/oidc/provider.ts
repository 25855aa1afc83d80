import { isIP } from 'node:net';
import * as client from 'openid-client';
import type { ProviderCheck } from '@/domain/sign-in-provider';
import { createAddressGuard } from '../net/address-guard';
import { createGuardedFetch } from './guarded-fetch';
import { OidcError } from './oidc-error';
import { type ProviderClaims, readClaims } from './read-claims';

/** How to connect to a sign-in provider. */
export type ProviderAccess = { issuer: string; client_id: string; client_secret: string | null };
/** What identifies one sign-in: kept in the browser that started it. */
export type SignInChecks = { state: string; nonce: string; code_verifier: string };

/** A sign-in that the provider vouched for, and its own words for it. */
export type ProviderAnswer = ProviderClaims & { id_token: string };
/** What the provider receives when a user signs out. */
export type ProviderLogout = { id_token: string | null; redirect_uri: string; state: string };

/** Clocks of two machines differ. */
const TOLERANCE_SECONDS = 30;

const BELIEVE = 'Try again. If it persists, compare the issuer, client and keys here with those at the provider.';

function toOidcError(error: unknown, request: 'discovery request' | 'sign-in'): OidcError {
  if (error instanceof OidcError) return error;
  const { cause } = error as Error;
  if (cause instanceof OidcError) return cause;
  if (error instanceof client.AuthorizationResponseError) {
    return new OidcError(
      'refused',
      `The sign-in provider returned an error: ${error.error}.`,
      'Contact the administrator of the provider.',
      {
        cause: error,
      },
    );
  }
  if (error instanceof client.ResponseBodyError) {
    return new OidcError('invalid', `The sign-in provider rejected the ${request}: ${error.error}.`, BELIEVE, {
      cause: error,
    });
  }
  return new OidcError('invalid', `The response of the sign-in provider is not valid (${request}).`, BELIEVE, {
    cause: error,
  });
}

/** Methods a client proves its secret by; without a word of the provider it is Basic (OpenID Connect Discovery, section 3). */
function selectClientAuth(known: readonly string[] | undefined, secret: string | null): client.ClientAuth {
  if (secret === null) return client.None();
  const methods = known ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret);
}

/** A provider whose description was read and whose issuer is the one that was asked for. */
export class OidcProvider {
  readonly #config: client.Configuration;
  readonly #allow: readonly string[];
  private constructor(config: client.Configuration, allow: readonly string[]) {
    this.#config = config;
    this.#allow = allow;
  }

  /**
   * Reads the provider's description.
   * @param allow CIDRs of loopback and link-local targets that may be connected to, and spoken to without TLS
   * @throws OidcError
   */
  static async open(access: ProviderAccess, allow: readonly string[]): Promise<OidcProvider> {
    const fetch = createGuardedFetch({ allow });
    const plain = access.issuer.startsWith('http:');
    try {
      const found = await client.discovery(new URL(access.issuer), access.client_id, undefined, client.None(), {
        [client.customFetch]: fetch,
        timeout: 15,
        execute: plain ? [client.allowInsecureRequests] : [],
      });
      const server = found.serverMetadata();
      // The library compares addresses as URLs are normalized; what is stored with accounts must match exactly.
      if (server.issuer !== access.issuer) {
        throw new OidcError(
          'invalid',
          `The provider reports the issuer ${server.issuer.slice(0, 300)}, not ${access.issuer}.`,
          'Enter the issuer exactly as the provider reports it.',
        );
      }
      const config = new client.Configuration(
        server,
        access.client_id,
        { [client.clockTolerance]: TOLERANCE_SECONDS },
        selectClientAuth(server.token_endpoint_auth_methods_supported, access.client_secret),
      );
      config[client.customFetch] = fetch;
      config.timeout = 15;
      if (plain) client.allowInsecureRequests(config);
      // Without it the signature of an ID token that came over TLS would not be looked at.
      client.enableNonRepudiationChecks(config);
      return new OidcProvider(config, allow);
    } catch (error) {
      throw toOidcError(error, 'discovery request');
    }
  }

  /** What the provider reports about itself. */
  describe(): ProviderCheck {
    const server = this.#config.serverMetadata();
    return {
      issuer: server.issuer,
      authorization_endpoint: server.authorization_endpoint ?? '',
      token_endpoint: server.token_endpoint ?? '',
      userinfo_endpoint: server.userinfo_endpoint ?? null,
      scopes_supported: server.scopes_supported ?? null,
      claims_supported: server.claims_supported ?? null,
      end_session_endpoint: this.#endSessionEndpoint()?.href ?? null,
      pkce: server.code_challenge_methods_supported?.includes('S256') ?? null,
    };
  }

  /**
   * Where one signs out at the provider; null without such an address, or with one that no browser is sent to: other than http(s),
   * without TLS unless the provider itself has none on that host, or an address that nothing here connects to.
   */
  #endSessionEndpoint(): URL | null {
    const { end_session_endpoint: text, issuer } = this.#config.serverMetadata();
    if (typeof text !== 'string' || !URL.canParse(text)) return null;
    const url = new URL(text);
    const home = new URL(issuer);
    const safe =
      url.protocol === 'https:' || (url.protocol === 'http:' && home.protocol === 'http:' && url.host === home.host);
    if (!safe || url.username !== '' || url.password !== '') return null;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return isIP(host) > 0 && createAddressGuard(this.#allow).refusal(host) !== null ? null : url;
  }

  /** Where to send a browser that signs out (RP-initiated logout); null when the provider has no address for it. */
  endSession({ id_token, redirect_uri, state }: ProviderLogout): string | null {
    const url = this.#endSessionEndpoint();
    if (!url) return null;
    const { client_id } = this.#config.clientMetadata();
    const given = {
      client_id,
      post_logout_redirect_uri: redirect_uri,
      state,
      ...(id_token && { id_token_hint: id_token }),
    };
    for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Where to send the browser, and what identifies its answer. */
  async begin(redirect_uri: string, scopes: readonly string[]): Promise<{ url: string; checks: SignInChecks }> {
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      code_verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(this.#config, {
      redirect_uri,
      scope: scopes.join(' '),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.code_verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, checks };
  }

  /**
   * Exchanges the code of an answer, and checks state, issuer, signature, audience, nonce and times of what comes.
   * @param answer the redirect URI with the query that the browser brought
   * @throws OidcError
   */
  async finish(answer: URL, checks: SignInChecks, groupClaim: string): Promise<ProviderAnswer> {
    try {
      const tokens = await client.authorizationCodeGrant(this.#config, answer, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.code_verifier,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      const { id_token } = tokens;
      if (!idToken || id_token === undefined) throw new Error('expected an ID token');
      const { userinfo_endpoint } = this.#config.serverMetadata();
      const userInfo = userinfo_endpoint
        ? await client.fetchUserInfo(this.#config, tokens.access_token, idToken.sub)
        : null;
      return { ...readClaims(idToken, userInfo, groupClaim), id_token };
    } catch (error) {
      throw toOidcError(error, 'sign-in');
    }
  }
}
