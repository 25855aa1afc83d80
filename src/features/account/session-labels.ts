import type { SecondFactorKind, SignInMethod, SignInProof } from '@/domain/second-factor';
import { msg, type Translate } from '@/lib/i18n/translator';

const METHODS: Record<SignInMethod, string> = {
  password: msg('Password'),
  oidc: msg('Sign-in provider'),
  ldap: msg('Directory'),
};
const FACTORS: Record<SecondFactorKind, string> = {
  totp: msg('code'),
  recovery_code: msg('recovery code'),
  passkey: msg('passkey'),
  provider: msg('its second factor'),
};

/** How a sign-in was proved: `Password and code`. */
export const proofText = (t: Translate, { method, second_factor }: SignInProof): string =>
  second_factor === null
    ? t(METHODS[method])
    : t('{method} and {factor}', { method: t(METHODS[method]), factor: t(FACTORS[second_factor]) });

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/OPR\/(\d+)/, 'Opera'],
  [/(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/Version\/(\d+)[^ ]* (?:Mobile\/\S+ )?Safari/, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/Windows/, 'Windows'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
];

const find = (table: readonly [RegExp, string][], text: string) =>
  table.map(([pattern, name]) => ({ name, match: pattern.exec(text) })).find(({ match }) => match !== null);

/** What a User-Agent header tells a person: `Firefox 128 on Linux`; of other programs their own name: `curl/8.5.0`. */
export function deviceText(t: Translate, userAgent: string | null): string {
  if (!userAgent) return t('Unknown client');
  const browser = find(BROWSERS, userAgent);
  if (!browser) return (userAgent.split(' ')[0] ?? userAgent).slice(0, 60);
  const system = find(SYSTEMS, userAgent);
  const name = `${browser.name} ${browser.match?.[1] ?? ''}`;
  return system ? t('{browser} on {system}', { browser: name, system: system.name }) : name;
}
