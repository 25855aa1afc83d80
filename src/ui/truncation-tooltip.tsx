'use client';
import { useEffect, useRef, useState } from 'react';
import { findTruncated, wholeText } from './truncated-text';

const DELAY_MS = 350;
/** So long the pointer may be outside, on its way to the tooltip. */
const GRACE_MS = 120;

type Shown = { text: string; top?: number; bottom?: number; left?: number; right?: number };

/** Beside the element, on the side with more room. */
function placeBeside(element: Element): Omit<Shown, 'text'> {
  const box = element.getBoundingClientRect();
  return {
    ...(box.bottom < window.innerHeight / 2 ? { top: box.bottom + 4 } : { bottom: window.innerHeight - box.top + 4 }),
    ...(box.left < window.innerWidth / 2
      ? { left: Math.max(8, box.left) }
      : { right: Math.max(8, window.innerWidth - box.right) }),
  };
}

/**
 * Shows the whole of any text that ends in an ellipsis, wherever it is: in tables, badges, the breadcrumb, menus. Once, in the root;
 * nothing that truncates a text has to know.
 */
export function TruncationTooltip() {
  const [shown, setShown] = useState<Shown | null>(null);
  const popupRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current: HTMLElement | null = null;
    // A native tooltip would lie over this one.
    let untitled: { element: HTMLElement; title: string } | null = null;

    const hide = () => {
      clearTimeout(timer);
      if (untitled) untitled.element.title = untitled.title;
      untitled = null;
      current = null;
      setShown(null);
    };
    const show = (element: HTMLElement) => {
      if (!element.isConnected) return;
      const text = wholeText(element);
      const titled = element.closest<HTMLElement>('[title]') ?? element.querySelector<HTMLElement>('[title]');
      if (titled) {
        untitled = { element: titled, title: titled.title };
        titled.removeAttribute('title');
      }
      if (text !== '') setShown({ text, ...placeBeside(element) });
    };
    const schedule = (element: HTMLElement | null, delay: number) => {
      if (element === current) return clearTimeout(timer);
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          hide();
          current = element;
          if (element) show(element);
        },
        element ? delay : GRACE_MS,
      );
    };

    const onPointerOver = (event: PointerEvent) => {
      if (event.pointerType === 'touch' || !(event.target instanceof Element)) return;
      if (popupRef.current?.contains(event.target)) return clearTimeout(timer);
      const element = findTruncated(event.target);
      if (element || current) schedule(element, DELAY_MS);
      else clearTimeout(timer);
    };
    const onFocusIn = (event: FocusEvent) => {
      if (!(event.target instanceof Element) || !event.target.matches('a, button, [role="option"], [role="tab"]'))
        return;
      if (!event.target.matches(':focus-visible')) return;
      const inside = [...event.target.querySelectorAll('*')].map(findTruncated).find((found) => found !== null);
      schedule(findTruncated(event.target) ?? inside ?? null, 0);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('pointerover', onPointerOver);
    document.addEventListener('focusin', onFocusIn);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('keydown', onKeyDown);
    document.addEventListener('scroll', hide, { capture: true, passive: true });
    return () => {
      hide();
      document.removeEventListener('pointerover', onPointerOver);
      document.removeEventListener('focusin', onFocusIn);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('keydown', onKeyDown);
      document.removeEventListener('scroll', hide, { capture: true });
    };
  }, []);
  if (!shown) return null;
  const { text, ...place } = shown;
  return (
    <div
      ref={popupRef}
      data-truncated-text=""
      // The text itself is in the document in full.
      aria-hidden="true"
      style={place}
      className="fixed z-(--layer-toast) max-h-60 max-w-[min(28rem,calc(100vw-1rem))] overflow-auto rounded-md bg-text px-2 py-1 text-sm whitespace-pre-line text-surface [overflow-wrap:anywhere]"
    >
      {text}
    </div>
  );
}
