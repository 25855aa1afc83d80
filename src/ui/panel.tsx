'use client';
import { X } from 'lucide-react';
import {
  type ComponentType,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useState,
} from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from './button';

/** What a dialog and a drawer take alike. */
export type PanelProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** What is decided or entered here, as a heading: "Add cluster". */
  title: string;
  description?: ReactNode;
  size?: 'sm' | 'md' | 'lg';
  /** For forms, whose input would be lost: a press outside does not close it, and once something was entered one Esc does not. */
  persistent?: boolean;
  /** The button that opens it, when it is always on the page. */
  trigger?: ReactElement;
  /** Buttons at the bottom edge. A form brings its own: `<FormShell layout="panel">`. */
  footer?: ReactNode;
  children?: ReactNode;
};

/** What is chosen by a press or a key; only what is typed reports a change up to here. */
const CHOICES = '[role="radio"], [role="checkbox"], [role="switch"], [role="option"], [role="combobox"]';

/** Keys that choose nothing. */
const IDLE_KEYS = ['Escape', 'Tab', 'Shift', 'Control', 'Alt', 'Meta'];

type Change = { reason: string; cancel: () => void };

/**
 * Keeps what was entered into a form from being lost to an Esc that was meant for a list in it: the first one asks for a second.
 * @returns `onOpenChange` for the panel, the other handlers for what contains its fields, and whether it asks
 */
export function useEscapeGuard({ open, onOpenChange, persistent = false }: PanelProps) {
  const [state, setState] = useState<'untouched' | 'entered' | 'asks'>('untouched');
  const note = () => setState('entered');
  const noteChoice = (target: EventTarget) => target instanceof Element && target.closest(CHOICES) && note();
  if (!open && state !== 'untouched') setState('untouched');
  return {
    asks: state === 'asks',
    onOpenChange(next: boolean, { reason, cancel }: Change) {
      if (next || !persistent || reason !== 'escape-key' || state !== 'entered') return onOpenChange(next);
      cancel();
      setState('asks');
    },
    onChange: note,
    onClick: ({ target }: MouseEvent) => noteChoice(target),
    onKeyDown: ({ key, target }: KeyboardEvent) => !IDLE_KEYS.includes(key) && noteChoice(target),
  };
}

type Text = ComponentType<{ className?: string; children?: ReactNode }>;

type HeaderProps = Pick<PanelProps, 'title' | 'description'> & {
  /** The elements of the dialog or drawer that name it and close it. */
  base: { Title: Text; Description: Text; Close: ComponentType<{ render?: ReactElement }> };
  className: string;
  textClassName: string;
  /** Whether another Esc would discard what was entered. */
  asks: boolean;
};

/** Title, description and the cross that closes the panel. */
export function PanelHeader({ base: Base, title, description, className, textClassName, asks }: HeaderProps) {
  const t = useT();
  return (
    <header className={`flex items-start gap-2 px-4 ${className}`}>
      <div className={`min-w-0 flex-1 ${textClassName}`}>
        <Base.Title className="text-lg leading-6 font-semibold [overflow-wrap:anywhere]">{title}</Base.Title>
        {description && <Base.Description className="text-pretty text-muted">{description}</Base.Description>}
        <p role="status" className="text-sm text-warn">
          {asks && t('Press Esc again to discard what you entered.')}
        </p>
      </div>
      <Base.Close render={<IconButton label={t('Close')} icon={<X size={16} />} className="-mr-2" />} />
    </header>
  );
}

/** The buttons at the bottom edge. */
export function PanelFooter({ children }: { children: ReactNode }) {
  if (!children) return null;
  return <footer className="flex flex-wrap justify-end gap-2 border-t px-4 py-3">{children}</footer>;
}

/**
 * Where the focus returns to when a panel closes: to what had it before the panel was drawn. A field that takes the focus as soon as
 * it is there does so before the panel itself remembers. What is no longer on the page, as an item of a menu, is left to the panel.
 */
export function useOpener(open: boolean, body: RefObject<HTMLElement | null>): () => HTMLElement | boolean {
  const [wasOpen, setWasOpen] = useState(false);
  const [opener, setOpener] = useState<Element | null>(null);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setOpener(document.activeElement);
  }
  return () => {
    const now = document.activeElement;
    // A panel is gone after its transition, when the user may type elsewhere already.
    if (now && now !== document.body && !body.current?.closest('[role$="dialog"]')?.contains(now)) return false;
    return opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : true;
  };
}

const FIELDS = 'input:not([type="hidden"], [aria-hidden="true"]), textarea, select, button[role="combobox"]';

/**
 * Where the focus goes when a panel opens: its first field, so that the user can type immediately. Not after a tap,
 * which would push the on-screen keyboard over the panel; there, and without fields, the default applies.
 */
export function firstField(panel: HTMLElement | null, openedBy: string): HTMLElement | true {
  if (openedBy === 'touch') return true;
  return panel?.querySelector<HTMLElement>(FIELDS) ?? true;
}
