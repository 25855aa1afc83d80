'use client';
import clsx from 'clsx';
import { ArrowDown, ArrowUp, CalendarClock, Copy, GripVertical, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { formatTypedPorts } from '@/domain/net/port-range';
import { protocolHasPorts, RULE_ACTIONS, RULE_LOG_LEVELS, RULE_PROTOCOLS } from '@/domain/policy/choices';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { FieldMessage, useField } from '@/ui/form/field-frame';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Select } from '@/ui/select';
import { readPastedLine, TextInput } from '@/ui/text-input';
import { Tooltip } from '@/ui/tooltip';
import { ACTION_LABELS, logText, PROTOCOL_LABELS } from '../../shared/security-rule-labels';
import type { PolicyValues, RuleValues } from './policy-form-values';

/** Loaded when a rule has an owner, ticket or expiry, or gets one. */
const RuleResponsibility = loadOnOpening(
  () => import('./responsibility-fields').then((module) => module.RuleResponsibility),
  () => true,
);

type FormControl = Control<PolicyValues, unknown, never>;

type Props = {
  control: FormControl;
  index: number;
  count: number;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
  onDuplicate: (rule: RuleValues) => void;
  dragging: boolean;
  dropBefore: boolean;
  dropAfter: boolean;
  onDragStart: () => void;
  onDragOver: () => void;
  onDragEnd: () => void;
};

/** One rule: all of it in view, each field with its message below. */
export function RuleRow(props: Props) {
  const t = useT();
  const { control, index, count, onMove, onRemove, onDuplicate, dragging } = props;
  const n = index + 1;
  const rule = useWatch({ control, name: `rules.${index}` });
  const enabled = useField<boolean, PolicyValues, never>({ control, name: `rules.${index}.enabled` });
  const icmp = rule.protocol === 'icmp' || rule.protocol === 'icmpv6';
  const ports = protocolHasPorts(rule.protocol);
  const [opened, setOpened] = useState(false);
  const responsible = opened || rule.owner !== '' || rule.ticket !== '' || rule.expires_at !== null;
  const buttons = { n, index, count, onMove, onRemove, onDuplicate, rule, responsible, onOpen: () => setOpened(true) };
  return (
    <li
      data-rule={index}
      aria-label={t('Rule {n}', { n })}
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        onMove(event.key === 'ArrowUp' ? -1 : 1);
      }}
      onDragOver={(event) => {
        event.preventDefault();
        props.onDragOver();
      }}
      className={clsx(
        'relative flex flex-col gap-2 border-b p-2 last:border-b-0 md:flex-row md:items-start',
        dragging && 'opacity-50',
        props.dropBefore && 'shadow-[inset_0_2px_var(--color-accent)]',
        props.dropAfter && 'shadow-[inset_0_-2px_var(--color-accent)]',
        !rule.enabled && 'bg-surface-2',
      )}
    >
      <div className="flex h-8 shrink-0 items-center gap-1.5">
        <Tooltip content={t('Drag, or press Alt + arrow keys')}>
          <button
            type="button"
            data-handle
            draggable
            aria-label={t('Move rule {n}', { n })}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move';
              event.dataTransfer.setData('text/plain', String(index));
              props.onDragStart();
            }}
            onDragEnd={props.onDragEnd}
            className="inline-flex size-6 cursor-grab items-center justify-center rounded-sm text-faint hover:text-text"
          >
            <GripVertical size={14} aria-hidden />
          </button>
        </Tooltip>
        <span className="w-5 text-right text-muted tabular-nums">{n}</span>
        <Tooltip content={rule.enabled ? t('Enabled') : t('Disabled: this rule is not placed on any workload')}>
          <Checkbox
            aria-label={t('Rule {n} enabled', { n })}
            checked={enabled.value ?? false}
            onCheckedChange={enabled.onChange}
          />
        </Tooltip>
        <span className="ml-auto md:hidden">
          <Buttons {...buttons} />
        </span>
      </div>
      <div className="flex min-w-0 flex-1 flex-wrap gap-2">
        <SelectCell
          {...{ control, index, field: 'action', label: t('Action of rule {n}', { n }) }}
          options={RULE_ACTIONS.map((value) => ({ value, label: t(ACTION_LABELS[value]) }))}
          className="w-24"
        />
        <SelectCell
          {...{ control, index, field: 'protocol', label: t('Protocol of rule {n}', { n }) }}
          options={RULE_PROTOCOLS.map((value) => ({ value, label: t(PROTOCOL_LABELS[value]) }))}
          className="w-28"
        />
        {icmp && (
          <TextCell
            {...{ control, index, field: 'icmp_type', label: t('ICMP type of rule {n}', { n }), mono: true }}
            placeholder={t('All types, or echo-request')}
            className="min-w-44 flex-1"
          />
        )}
        {ports && (
          <>
            <TextCell
              {...{
                control,
                index,
                field: 'destination_ports',
                label: t('Destination ports of rule {n}', { n }),
                ports: true,
              }}
              placeholder={t('To any port')}
              className="min-w-32 flex-1"
            />
            <TextCell
              {...{ control, index, field: 'source_ports', label: t('Source ports of rule {n}', { n }), ports: true }}
              placeholder={t('From any port')}
              className="min-w-32 flex-1"
            />
          </>
        )}
        <SelectCell
          {...{ control, index, field: 'log', label: t('Logging of rule {n}', { n }) }}
          options={RULE_LOG_LEVELS.map((value) => ({ value, label: logText(t, value) }))}
          className="w-28"
        />
        <TextCell
          {...{ control, index, field: 'comment', label: t('Comment of rule {n}', { n }) }}
          placeholder={t('Comment')}
          maxLength={200}
          className="min-w-44 flex-[2]"
        />
        {responsible && <RuleResponsibility control={control} index={index} />}
      </div>
      <span className="max-md:hidden">
        <Buttons {...buttons} />
      </span>
    </li>
  );
}

function Buttons({
  n,
  index,
  count,
  onMove,
  onRemove,
  onDuplicate,
  rule,
  responsible,
  onOpen,
}: Pick<Props, 'index' | 'count' | 'onMove' | 'onRemove' | 'onDuplicate'> & {
  n: number;
  rule: RuleValues;
  responsible: boolean;
  onOpen: () => void;
}) {
  const t = useT();
  return (
    <span className="flex h-8 items-center">
      <IconButton
        size="sm"
        label={t('Set owner and expiry of rule {n}', { n })}
        icon={<CalendarClock size={14} />}
        onClick={onOpen}
        disabledReason={responsible && t('Shown below the rule')}
      />
      <IconButton
        size="sm"
        label={t('Move rule {n} up', { n })}
        icon={<ArrowUp size={14} />}
        onClick={() => onMove(-1)}
        disabledReason={index === 0 && t('This is the first rule')}
      />
      <IconButton
        size="sm"
        label={t('Move rule {n} down', { n })}
        icon={<ArrowDown size={14} />}
        onClick={() => onMove(1)}
        disabledReason={index === count - 1 && t('This is the last rule')}
      />
      <IconButton
        size="sm"
        label={t('Duplicate rule {n}', { n })}
        icon={<Copy size={14} />}
        onClick={() => onDuplicate(rule)}
      />
      <IconButton size="sm" label={t('Remove rule {n}', { n })} icon={<Trash2 size={14} />} onClick={onRemove} />
    </span>
  );
}

type Cell<F extends keyof RuleValues> = {
  control: FormControl;
  index: number;
  field: F;
  label: string;
  className?: string;
};

function SelectCell<F extends 'action' | 'protocol' | 'log'>({
  control,
  index,
  field: name,
  label,
  options,
  className,
}: Cell<F> & { options: readonly { value: RuleValues[F]; label: string }[] }) {
  const field = useField<RuleValues[F], PolicyValues, never>({ control, name: `rules.${index}.${name}` as never });
  return (
    <div className={clsx('flex min-w-0 flex-col gap-0.5', className)}>
      <Select<RuleValues[F]>
        aria-label={label}
        value={field.value ?? null}
        onValueChange={field.onChange}
        onBlur={field.onBlur}
        options={options}
      />
      <FieldMessage text={field.error} />
    </div>
  );
}

function TextCell<F extends 'destination_ports' | 'source_ports' | 'icmp_type' | 'comment'>({
  control,
  index,
  field: name,
  label,
  className,
  mono,
  ports = false,
  ...input
}: Cell<F> & {
  placeholder?: string;
  mono?: boolean;
  /** A list of ports: it can be pasted in any form, and is put in order when the field is left. */
  ports?: boolean;
  maxLength?: number;
}) {
  const field = useField<string, PolicyValues, never>({ control, name: `rules.${index}.${name}` as never });
  return (
    <div data-field={field.name} className={clsx('flex min-w-0 flex-col gap-0.5', className)}>
      <TextInput
        {...input}
        mono={mono ?? ports}
        ref={field.ref}
        aria-label={label}
        aria-invalid={field.error !== undefined || undefined}
        data-invalid={field.error !== undefined ? '' : undefined}
        value={field.value ?? ''}
        onChange={(event) => field.onChange(event.target.value)}
        onPaste={(event) => {
          const pasted = ports ? readPastedLine(event) : null;
          if (pasted !== null) field.onChange(pasted);
        }}
        onBlur={() => {
          if (ports) field.onChange(formatTypedPorts(field.value ?? ''));
          field.onBlur();
        }}
        autoComplete="off"
        spellCheck={false}
      />
      <FieldMessage text={field.error} />
    </div>
  );
}
