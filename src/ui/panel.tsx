'use client';
import { X } from 'lucide-react';
import type { ComponentType, ReactElement, ReactNode } from 'react';
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
  /** A press outside does not close it: for forms, whose input would be lost. */
  persistent?: boolean;
  /** The button that opens it, when it is always on the page. */
  trigger?: ReactElement;
  /** Buttons at the bottom edge. A form brings its own: `<FormShell layout="panel">`. */
  footer?: ReactNode;
  children?: ReactNode;
};

type Text = ComponentType<{ className?: string; children?: ReactNode }>;

type HeaderProps = Pick<PanelProps, 'title' | 'description'> & {
  /** The elements of the dialog or drawer that name it and close it. */
  base: { Title: Text; Description: Text; Close: ComponentType<{ render?: ReactElement }> };
  className: string;
  textClassName: string;
};

/** Title, description and the cross that closes the panel. */
export function PanelHeader({ base: Base, title, description, className, textClassName }: HeaderProps) {
  const t = useT();
  return (
    <header className={`flex items-start gap-2 px-4 ${className}`}>
      <div className={`min-w-0 flex-1 ${textClassName}`}>
        <Base.Title className="text-lg leading-6 font-semibold [overflow-wrap:anywhere]">{title}</Base.Title>
        {description && <Base.Description className="text-pretty text-muted">{description}</Base.Description>}
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

const FIELDS = 'input:not([type="hidden"], [aria-hidden="true"]), textarea, select, button[role="combobox"]';

/**
 * Where the focus goes when a panel opens: its first field, so that the user can type immediately. Not after a tap,
 * which would push the on-screen keyboard over the panel; there, and without fields, the default applies.
 */
export function firstField(panel: HTMLElement | null, openedBy: string): HTMLElement | true {
  if (openedBy === 'touch') return true;
  return panel?.querySelector<HTMLElement>(FIELDS) ?? true;
}
