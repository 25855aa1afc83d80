import type { ClipboardEvent } from 'react';

/**
 * What a field of one line holds after a paste of several lines; null for a paste that the browser handles well. Browsers drop
 * the line breaks: a pasted column of ports would become one long number. They become spaces instead.
 */
export function pastedOnOneLine(event: ClipboardEvent<HTMLInputElement>): string | null {
  const text = event.clipboardData.getData('text');
  if (!/[\r\n]/.test(text)) return null;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  return joinPasted(value, text, selectionStart ?? value.length, selectionEnd ?? value.length);
}

/** `value` with the lines of `text` in place of what was selected. */
export const joinPasted = (value: string, text: string, from: number, to: number): string =>
  value.slice(0, from) +
  text
    .trim()
    .split(/\s*[\r\n]+\s*/)
    .join(' ') +
  value.slice(to);
