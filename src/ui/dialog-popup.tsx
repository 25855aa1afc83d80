'use client';
import { Dialog as Base } from '@base-ui/react/dialog';
import clsx from 'clsx';
import { useRef } from 'react';
import { firstField, PanelFooter, PanelHeader, type PanelProps, useEscapeGuard, useOpener } from './panel';

const PARTS = { Title: Base.Title, Description: Base.Description, Close: Base.Close };

const SIZES = { sm: 'max-w-md', md: 'max-w-xl', lg: 'max-w-4xl' };

/** A modal dialog for one task. Esc closes it and the focus returns to where it was. */
export function DialogPopup(props: PanelProps) {
  const { open, title, description, size = 'md', persistent = false, footer, children } = props;
  const { asks, onOpenChange, ...noting } = useEscapeGuard(props);
  const body = useRef<HTMLDivElement>(null);
  const findOpener = useOpener(open, body);
  return (
    <Base.Root open={open} onOpenChange={onOpenChange} disablePointerDismissal={persistent}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-(--layer-overlay) bg-scrim transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-(--layer-overlay) flex items-end justify-center p-2 md:items-start md:p-4 md:pt-[8dvh]">
          <Base.Popup
            {...noting}
            initialFocus={(openedBy) => firstField(body.current, openedBy)}
            finalFocus={findOpener}
            className={clsx(
              'popup flex max-h-full w-full flex-col !rounded-lg transition-[opacity,translate] duration-100 data-ending-style:opacity-0 data-starting-style:translate-y-1 data-starting-style:opacity-0',
              SIZES[size],
            )}
          >
            <PanelHeader
              base={PARTS}
              asks={asks}
              title={title}
              description={description}
              className="pt-3 pb-1"
              textClassName="pt-1"
            />
            <div ref={body} className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-4 pt-2">
              {children}
            </div>
            <PanelFooter>{footer}</PanelFooter>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
