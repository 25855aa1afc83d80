import type { MouseEvent } from 'react';

/** A press of a row: not on a control, not with a modifier, not the end of a text selection. */
export function isPlainPress(event: MouseEvent<HTMLElement>): boolean {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return false;
  if (!(event.target instanceof Element)) return false;
  // Menus of a row are portalled: their events bubble through React, not through the document.
  if (!event.currentTarget.contains(event.target)) return false;
  if (event.target.closest('a, button, input, label, [role="checkbox"]')) return false;
  return (window.getSelection()?.toString() ?? '') === '';
}
