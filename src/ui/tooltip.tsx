'use client';
import {
  cloneElement,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react';
import { part, usePart } from './part';

type Props = {
  /** Short text; nothing that can only be read here. Null shows no tooltip. */
  content: ReactNode;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** The element that owns the tooltip; it must be focusable. */
  children: ReactElement;
  /** Whether a tap opens it: for controls that do nothing else, such as disabled buttons. */
  openOnTap?: boolean;
};

const OPEN_MS = 350;
const CLOSE_MS = 100;
/** The next one opens immediately this long after one has closed. */
const NEXT_MS = 400;

let closedAt = 0;

const popup = part(() => import('./tooltip-popup'));

type Handlers = Partial<
  Record<
    | 'onPointerEnter'
    | 'onPointerLeave'
    | 'onPointerDown'
    | 'onPointerUp'
    | 'onFocus'
    | 'onBlur'
    | 'onClick'
    | 'onKeyDown',
    (event: never) => void
  >
>;

/** Handlers of an element and of what surrounds it: both are called. */
export function mergeHandlers(own: Handlers, added: Handlers): Handlers {
  const names = Object.keys(added) as (keyof Handlers)[];
  const both = names.map((name) => [
    name,
    (event: never) => {
      own[name]?.(event);
      added[name]?.(event);
    },
  ]);
  return Object.fromEntries(both) as Handlers;
}

/** A text shown while the pointer or the keyboard focus rests on `children`. */
export function Tooltip({ content, side = 'top', children, openOnTap = false }: Props) {
  const [anchor, setAnchor] = useState<Element | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hasText = content != null && content !== '';
  const Popup = usePart(popup, anchor !== null && hasText)?.TooltipPopup;
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (anchor === null) return;
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && setAnchor(null);
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      closedAt = Date.now();
    };
  }, [anchor]);
  const show = (element: Element | null, delay: number) => {
    clearTimeout(timer.current);
    if (delay === 0) setAnchor(element);
    else timer.current = setTimeout(() => setAnchor(element), delay);
  };
  const element = ({ currentTarget }: SyntheticEvent) => currentTarget as Element;
  const added = {
    onPointerEnter: (event: React.PointerEvent) => {
      if (event.pointerType === 'touch' || !hasText) return;
      popup.load().catch(() => undefined);
      show(element(event), Date.now() - closedAt < NEXT_MS ? 1 : OPEN_MS);
    },
    onPointerLeave: (event: React.PointerEvent) => event.pointerType !== 'touch' && show(null, CLOSE_MS),
    onPointerDown: () => !openOnTap && show(null, 0),
    onPointerUp: (event: React.PointerEvent) => {
      if (openOnTap && event.pointerType === 'touch') show(anchor === null ? element(event) : null, 0);
    },
    onFocus: (event: React.FocusEvent) => event.currentTarget.matches(':focus-visible') && show(element(event), 0),
    onBlur: () => show(null, 0),
  };
  return (
    <>
      {cloneElement(children, mergeHandlers(children.props as Handlers, added as Handlers))}
      {Popup && anchor?.isConnected && (
        <Popup
          anchor={anchor}
          content={content}
          side={side}
          onClose={() => setAnchor(null)}
          onHold={(isHeld) => show(isHeld ? anchor : null, isHeld ? 0 : CLOSE_MS)}
        />
      )}
    </>
  );
}
