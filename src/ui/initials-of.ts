/** One or two capital letters for a person: of first and last name, else of the address. */
export function initialsOf(name: string, email: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const source = words.length > 0 ? words : [email.trim()];
  const letters = [source[0], source.length > 1 ? source.at(-1) : undefined];
  const text = letters.map((word) => Array.from(word ?? '')[0] ?? '').join('');
  return text.toLocaleUpperCase('en') || '?';
}
