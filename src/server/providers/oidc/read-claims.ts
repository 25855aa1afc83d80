const MAX_GROUPS = 1000;
const MAX_LENGTH = 256;

/** What a sign-in provider reports about a user, after all checks. */
export type ProviderClaims = {
  issuer: string;
  subject: string;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  /** `unknown`: the provider says that there are groups and not which. */
  groups: readonly string[] | 'unknown';
};

type Bag = Readonly<Record<string, unknown>>;
const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A claim by its name, which may hold dots, or else by a path through objects: `realm_access.roles`. */
function findClaim(claims: Bag, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (!isBag(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/**
 * The groups in a claim: a list of names, or one name. A claim that is missing means no groups, as many providers leave an
 * empty list out; but one that is said to be elsewhere (too many for the token) is `unknown`.
 */
export function readGroups(claims: Bag, name: string): readonly string[] | 'unknown' {
  const value = findClaim(claims, name);
  if (value === undefined || value === null) {
    const elsewhere = claims._claim_names;
    return isBag(elsewhere) && Object.hasOwn(elsewhere, name) ? 'unknown' : [];
  }
  const list = Array.isArray(value) ? value : [value];
  if (list.length > MAX_GROUPS) return 'unknown';
  return [
    ...new Set(list.filter((one) => typeof one === 'string' && one !== '' && one.length <= MAX_LENGTH)),
  ] as string[];
}

const text = (value: unknown, max: number) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, max) : null;

/** Claims of the ID token, completed by those of the userinfo endpoint. */
export function readClaims(
  idToken: Bag & { iss: string; sub: string },
  userInfo: Bag | null,
  groupClaim: string,
): ProviderClaims {
  const all = { ...userInfo, ...idToken };
  // Address and its verification belong together: from one source, never mixed.
  const source = text(idToken.email, 254) === null && userInfo ? userInfo : idToken;
  const sources = userInfo ? [idToken, userInfo] : [idToken];
  // A claim that one source says is elsewhere is unknown, unless the other one has it.
  const holder = sources.find((one) => (findClaim(one, groupClaim) ?? null) !== null);
  const missing = sources.some((one) => readGroups(one, groupClaim) === 'unknown') ? 'unknown' : [];
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email: text(source.email, 254),
    email_verified: source.email_verified === true,
    name: text(all.name, 100),
    groups: holder ? readGroups(holder, groupClaim) : missing,
  };
}
