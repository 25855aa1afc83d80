'use client';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { createPortal } from 'react-dom';

const SetContext = createContext<((slot: HTMLElement | null) => void) | null>(null);
const SlotContext = createContext<HTMLElement | null>(null);

/** Knows where the head of the current page shows actions. */
export function PageActionsProvider({ children }: { children: ReactNode }) {
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  return (
    <SetContext value={setSlot}>
      <SlotContext value={slot}>{children}</SlotContext>
    </SetContext>
  );
}

/** The place in the head of the page. */
export function PageActionsSlot() {
  // Without a width of its own while it is empty.
  return <div ref={useContext(SetContext) ?? undefined} className="contents" />;
}

/** Shows what a part of the page offers, such as a list in a tab, in the head of the page: the primary action is always there. */
export function PageAction({ children }: { children: ReactNode }) {
  const slot = useContext(SlotContext);
  return slot && createPortal(children, slot);
}
