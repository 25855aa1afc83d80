'use client';
import { AlertDialog as Base } from '@base-ui/react/alert-dialog';
import { type Ref, useId, useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from './button';
import type { ConfirmDialogProps } from './confirm-dialog';
import { Notice } from './notice';
import { TextInput } from './text-input';

/** Asks before something that is hard to undo. The focus starts on Cancel, or on the input when a name must be typed. */
export function ConfirmDialogPopup(props: ConfirmDialogProps) {
  const { open, onOpenChange, pending } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => !pending && onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-(--layer-overlay) bg-scrim transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-(--layer-overlay) flex items-end justify-center p-2 md:items-start md:p-4 md:pt-[12dvh]">
          <Base.Popup
            initialFocus={props.typed === undefined ? cancel : input}
            className="popup flex max-h-full w-full max-w-md flex-col overflow-y-auto !rounded-lg"
          >
            <Body {...props} cancelRef={cancel} inputRef={input} />
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** Mounted with the dialog, so that what was typed is gone when it opens again. */
function Body({
  onOpenChange,
  title,
  children,
  confirmLabel,
  tone = 'danger',
  typed,
  pending,
  error,
  onConfirm,
  cancelRef,
  inputRef,
}: ConfirmDialogProps & { cancelRef: Ref<HTMLButtonElement>; inputRef: Ref<HTMLInputElement> }) {
  const t = useT();
  const [text, setText] = useState('');
  const inputId = useId();
  const blocked = typed !== undefined && text.trim() !== typed;
  return (
    <form
      className="flex flex-col gap-3 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (!blocked && !pending) onConfirm();
      }}
    >
      <Base.Title className="text-lg font-semibold [overflow-wrap:anywhere]">{title}</Base.Title>
      {children && (
        <Base.Description render={<div />} className="flex flex-col gap-2 text-pretty text-muted">
          {children}
        </Base.Description>
      )}
      {typed !== undefined && (
        <div className="flex flex-col gap-1">
          <label htmlFor={inputId}>
            {t.rich('Type <name>{typed}</name> to confirm', {
              typed,
              name: (inside) => <span className="mono font-semibold select-all">{inside}</span>,
            })}
          </label>
          <TextInput
            id={inputId}
            ref={inputRef}
            mono
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
      )}
      {error && (
        <Notice tone="danger" title={error.title} live>
          {error.detail}
        </Notice>
      )}
      <div className="flex flex-wrap justify-end gap-2 pt-1">
        <Button
          ref={cancelRef}
          onClick={() => onOpenChange(false)}
          disabledReason={pending && t('Wait for the current action to finish')}
        >
          {t('Cancel')}
        </Button>
        <Button
          type="submit"
          variant={tone}
          pending={pending}
          disabledReason={blocked && t('Type {typed} first', { typed })}
          className="!h-auto min-h-8 !whitespace-normal py-1"
        >
          {confirmLabel}
        </Button>
      </div>
    </form>
  );
}
