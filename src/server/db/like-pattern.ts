/** A LIKE pattern for text that contains what was typed; the characters with a meaning to LIKE lose it. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
