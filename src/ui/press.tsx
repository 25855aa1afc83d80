'use client';
import { cloneElement, type KeyboardEvent, type MouseEvent, type ReactElement } from 'react';
import { mergeHandlers } from './tooltip';

/** How a button was pressed: by pointer, or by which key. */
export type Press = { key: string | null };

type Props = {
  /** The button, without handlers of its own. */
  of: ReactElement;
  kind: 'menu' | 'dialog' | 'listbox';
  /** The pointer or the focus is on it: time to load what it opens. */
  onReach: () => Promise<unknown>;
  onPress: (press: Press) => void;
};

const ARROWS = ['ArrowDown', 'ArrowUp'];

/** A button whose popup is not loaded yet: it looks and is announced as with it, and remembers the press. */
export function PressedButton({ of, kind, onReach, onPress }: Props) {
  const reach = () => void onReach().catch(() => undefined);
  const added = {
    onPointerEnter: reach,
    onFocus: reach,
    onClick: (event: MouseEvent) => onPress({ key: event.detail === 0 ? 'Enter' : null }),
    onKeyDown: (event: KeyboardEvent) => {
      if (!ARROWS.includes(event.key)) return;
      event.preventDefault();
      onPress({ key: event.key });
    },
  };
  const own = of.props as Record<string, unknown>;
  return cloneElement(of as ReactElement<Record<string, unknown>>, {
    'aria-haspopup': kind,
    'aria-expanded': false,
    ...mergeHandlers(own as never, added as never),
  });
}

/** Presses a button as it was pressed before its popup was loaded, so that the popup opens as it would have. */
export function pressAgain(button: HTMLElement | null, { key }: Press): void {
  if (!button) return;
  button.focus({ preventScroll: true });
  if (key === null) {
    const at = { bubbles: true, cancelable: true, button: 0, detail: 1 };
    button.dispatchEvent(new window.PointerEvent('pointerdown', { ...at, pointerType: 'mouse', isPrimary: true }));
    for (const type of ['mousedown', 'mouseup', 'click']) button.dispatchEvent(new window.MouseEvent(type, at));
  } else if (key === 'Enter') button.click();
  else button.dispatchEvent(new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}
