const FIELDS = 'input:not([type="hidden"], [aria-hidden="true"]), textarea, select, button[role="combobox"]';

/**
 * Where the focus goes when a panel opens: its first field, so that typing starts at once. Not after a tap, which would
 * push the on-screen keyboard over the panel; there, and without fields, the default holds.
 */
export function firstField(panel: HTMLElement | null, openedBy: string): HTMLElement | true {
  if (openedBy === 'touch') return true;
  return panel?.querySelector<HTMLElement>(FIELDS) ?? true;
}
