'use client';
import { Tooltip as Base } from '@base-ui/react/tooltip';
import { type ReactElement, type ReactNode, useState } from 'react';

type Props = {
  /** Short text; nothing that can only be read here. Null shows no tooltip. */
  content: ReactNode;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** The element that owns the tooltip; it must be focusable and take a ref. */
  children: ReactElement;
  /** Whether a tap opens it: for controls that do nothing else, such as disabled buttons. */
  openOnTap?: boolean;
};

/** A text shown while the pointer or the keyboard focus rests on `children`. */
export function Tooltip({ content, side = 'top', children, openOnTap = false }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Base.Root
      open={open && content != null && content !== ''}
      onOpenChange={(next, details) => {
        // A press closes tooltips; where the press does nothing else, the text must stay readable.
        if (!next && openOnTap && details.reason === 'trigger-press') return;
        setOpen(next);
      }}
    >
      <Base.Trigger
        delay={350}
        closeOnClick={!openOnTap}
        onPointerUp={(event) => {
          if (openOnTap && event.pointerType === 'touch') setOpen((now) => !now);
        }}
        render={children}
      />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-(--layer-toast)">
          <Base.Popup className="max-w-72 rounded-md bg-text px-2 py-1 text-sm text-surface">{content}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
