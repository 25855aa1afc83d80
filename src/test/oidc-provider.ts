import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/** A user with an account at the provider. */
export type OidcPerson = { email?: string; email_verified?: boolean; name?: string; groups?: readonly string[] };

export const OIDC_CLIENT = { client_id: 'fabric', client_secret: 'a secret that only both of them know' };

/** The claims of a person are read at every sign-in: a test changes them in between. */
function configuration(people: Map<string, OidcPerson>, redirectUri: () => string): Configuration {
  return {
    clients: [
      {
        ...OIDC_CLIENT,
        redirect_uris: [redirectUri()],
        post_logout_redirect_uris: [new URL('/api/v1/auth/oidc/signed-out', redirectUri()).href],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    cookies: { keys: ['only for tests'] },
    // Grants the service access to the user's claims without asking the user.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId,
        accountId: oidc.session?.accountId,
      });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Session: 60, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  };
}

/** The page on which one chooses who to be; sending it signs in at the provider. */
async function interact(provider: Provider, people: ReadonlyMap<string, OidcPerson>, at: Exchange): Promise<void> {
  const { request, response, url } = at;
  const sub = url.searchParams.get('sub');
  if (sub !== null) {
    const result = people.has(sub) ? { login: { accountId: sub } } : { error: 'access_denied' };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const links = [...people.keys(), 'nobody'].map((one) => `<a href="${url.pathname}?sub=${one}">${one}</a>`).join(' ');
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>Who are you?</h1><p>${links}</p>`);
}

type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL };

/**
 * A real OpenID provider on loopback with one client. `people` by subject; `redirectUri` is asked for at the first request.
 * As `localhost` it is another site than 127.0.0.1, which is what browsers look at when they send cookies.
 */
export async function startOidcProvider(redirectUri: () => string, host: '127.0.0.1' | 'localhost' = '127.0.0.1') {
  const people = new Map<string, OidcPerson>();
  let provider: Provider | undefined;
  const server = createServer((request, response) => {
    provider ??= new Provider(issuer, configuration(people, redirectUri));
    const url = new URL(request.url ?? '/', issuer);
    if (!url.pathname.startsWith('/interaction/')) return void provider.callback()(request, response);
    interact(provider, people, { request, response, url }).catch((error: Error) => {
      response.writeHead(500).end(error.message);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    people,
    stop: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
