import { normalizePassword } from '@/domain/auth-password';

/** Shorter parts say nothing about how easily the whole is guessed. */
const LEAST_PART = 3;
const LEAST_WORD = 4;
/** A year, a row of digits, some signs. */
const MOST_AROUND = 8;

/** Signs that stand for letters, as people and the programs that guess use them. */
const LETTERS: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
};
const unmasked = (text: string) => text.replace(/[@4310!5$7]/g, (sign) => LETTERS[sign] ?? sign);

let loaded: Promise<ReadonlySet<string>> | undefined;

/** The list is large, and most processes never see a new password: it is loaded with the first one. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((word) => word.toLowerCase())),
  );
  return loaded;
}

/** Whether the text is listed, or two listed ones put together. */
function isMadeOf(listed: ReadonlySet<string>, text: string): boolean {
  if (listed.has(text)) return true;
  for (let at = LEAST_PART; at <= text.length - LEAST_PART; at += 1) {
    if (listed.has(text.slice(0, at)) && listed.has(text.slice(at))) return true;
  }
  return false;
}

/**
 * Whether a new password is a common one: among the 49,000 of `@zxcvbn-ts/language-common`, two of them put together
 * (`dragonmonkey`), or either with up to eight digits and signs around (`Summer2026!`) or for letters (`P@ssw0rd`). Case does
 * not matter.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const plain = normalizePassword(password).toLowerCase();
  const listed = await commonPasswords();
  if (isMadeOf(listed, plain)) return true;
  const core = plain.replace(/^[^\p{Letter}]+|[^\p{Letter}]+$/gu, '');
  if (core.length < LEAST_WORD || plain.length - core.length > MOST_AROUND) return false;
  return isMadeOf(listed, core) || isMadeOf(listed, unmasked(core));
}
