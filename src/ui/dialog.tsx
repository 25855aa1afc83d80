'use client';
import { Dialog as Base } from '@base-ui/react/dialog';
import clsx from 'clsx';
import { X } from 'lucide-react';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { firstField } from './first-field';
import { IconButton } from './icon-button';

type Props = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** What is decided or entered here, as a heading: "Add cluster". */
  title: string;
  description?: ReactNode;
  size?: 'sm' | 'md' | 'lg';
  /** A press outside does not close it: for forms, whose input would be lost. */
  persistent?: boolean;
  /** The button that opens it, when it is always on the page. */
  trigger?: ReactElement;
  /** Buttons at the bottom edge. A form brings its own: `<FormShell layout="panel">`. */
  footer?: ReactNode;
  children?: ReactNode;
};

const SIZES = { sm: 'max-w-md', md: 'max-w-xl', lg: 'max-w-4xl' };

/** A window over the page for one task. Esc closes it and the focus returns to where it was. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  size = 'md',
  persistent = false,
  trigger,
  footer,
  children,
}: Props) {
  const t = useT();
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)} disablePointerDismissal={persistent}>
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-(--layer-overlay) bg-scrim transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-(--layer-overlay) flex items-end justify-center p-2 md:items-start md:p-4 md:pt-[8dvh]">
          <Base.Popup
            initialFocus={(openedBy) => firstField(body.current, openedBy)}
            className={clsx(
              'popup flex max-h-full w-full flex-col !rounded-lg transition-[opacity,translate] duration-100 data-ending-style:opacity-0 data-starting-style:translate-y-1 data-starting-style:opacity-0',
              SIZES[size],
            )}
          >
            <header className="flex items-start gap-2 px-4 pt-3 pb-1">
              <div className="min-w-0 flex-1 pt-1">
                <Base.Title className="text-lg leading-6 font-semibold [overflow-wrap:anywhere]">{title}</Base.Title>
                {description && <Base.Description className="text-pretty text-muted">{description}</Base.Description>}
              </div>
              <Base.Close render={<IconButton label={t('Close')} icon={<X size={16} />} className="-mr-2" />} />
            </header>
            <div ref={body} className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-4 pt-2">
              {children}
            </div>
            {footer && <footer className="flex flex-wrap justify-end gap-2 border-t px-4 py-3">{footer}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
