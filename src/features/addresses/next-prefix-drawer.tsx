'use client';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { parseCidr } from '@/domain/net/cidr';
import { addressBits } from '@/domain/net/ip-address';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { panelActions } from '@/ui/button-class';
import { Drawer } from '@/ui/drawer';
import { cidrHint } from '@/ui/form/cidr-field';
import { Spinner } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { NumberInput } from '@/ui/number-input';
import { TextInput } from '@/ui/text-input';
import { Mono } from '@/ui/values';
import { useSaved } from '../shared/record-cache';
import { useDebounced } from '../shared/use-timers';

type Props = {
  subnet: { id: string; cidr: string } | null;
  onClose: () => void;
  onTaken: (path: string) => void;
};

/** Finds the first free block of a length inside a prefix, and takes it as a subnet. */
export function NextPrefixDrawer({ subnet, onClose, onTaken }: Props) {
  const t = useT();
  return (
    <Drawer
      open={subnet !== null}
      onOpenChange={(next) => !next && onClose()}
      title={t('Allocate next free prefix')}
      description={subnet ? t('In {cidr}', { cidr: subnet.cidr }) : undefined}
    >
      {subnet && <Content key={subnet.id} subnet={subnet} onClose={onClose} onTaken={onTaken} />}
    </Drawer>
  );
}

function Content({ subnet, onClose, onTaken }: Props & { subnet: { id: string; cidr: string } }) {
  const t = useT();
  const trpc = useTRPC();
  const done = useSaved(onClose);
  const outer = parseCidr(subnet.cidr);
  const bits = outer ? addressBits(outer.address.family) : 128;
  const least = Math.min(bits, (outer?.prefix ?? 0) + 1);
  const [length, setLength] = useState<number | null>(Math.min(bits, Math.max(least, bits === 32 ? 28 : 64)));
  const [description, setDescription] = useState('');
  const requested = useDebounced(length);
  const valid = requested !== null && Number.isInteger(requested) && requested >= least && requested <= bits;
  const next = useQuery({
    ...trpc.subnets.nextPrefix.queryOptions({ id: subnet.id, prefix_length: valid ? requested : least }),
    enabled: valid,
    staleTime: 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const take = useMutation(
    trpc.subnets.allocatePrefix.mutationOptions({
      onSuccess: (made) => {
        done(t('{cidr} allocated', { cidr: made.cidr }), trpc.subnets.pathFilter(), trpc.networks.pathFilter());
        onTaken(paths.subnet({ subnetId: made.id }));
      },
    }),
  );
  const current = valid && requested === length && !next.isPlaceholderData ? next.data : undefined;
  const failure = take.error ? toFailure(take.error) : valid && next.error ? toFailure(next.error) : null;
  return (
    <form
      className="-mb-4 flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (valid && !take.isPending) take.mutate({ id: subnet.id, prefix_length: requested, description });
      }}
    >
      {failure && (
        <Notice tone="danger" live title={failure.title}>
          {failure.detail}
        </Notice>
      )}
      {/* biome-ignore lint/a11y/noLabelWithoutControl: NumberInput renders the input. */}
      <label className="flex flex-col gap-1">
        <span className="font-medium">{t('Prefix length')}</span>
        <NumberInput value={length} onValueChange={setLength} min={least} max={bits} aria-label={t('Prefix length')} />
        <span className="text-sm text-faint">{t('From {least} to {bits}.', { least, bits })}</span>
      </label>
      <div aria-live="polite" className="flex min-h-8 items-center gap-2">
        {!valid ? (
          <span className="text-muted">{t('Enter a length from {least} to {bits}.', { least, bits })}</span>
        ) : current ? (
          <>
            <span>
              {t.rich('Next free prefix: <strong>{cidr}</strong>', {
                cidr: current.cidr,
                strong: (inside) => <Mono className="font-semibold">{inside}</Mono>,
              })}
            </span>
            <span className="text-muted">{cidrHint(t, current.cidr)?.text}</span>
          </>
        ) : (
          next.isFetching && <Spinner label={t('Finding next free prefix')} />
        )}
      </div>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: TextInput renders the input. */}
      <label className="flex flex-col gap-1">
        <span className="font-medium">
          {t('Description')} <span className="font-normal text-faint">{t('(optional)')}</span>
        </span>
        <TextInput value={description} maxLength={1000} onChange={(event) => setDescription(event.target.value)} />
      </label>
      <p className="text-sm text-pretty text-muted">
        {t('If another user allocates this prefix first, you get the next free prefix.')}
      </p>
      <div className={panelActions}>
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          type="submit"
          variant="primary"
          pending={take.isPending}
          disabledReason={current ? null : t('No free prefix of this length')}
        >
          {current ? t('Allocate {address}', { address: current.cidr }) : t('Allocate prefix')}
        </Button>
      </div>
    </form>
  );
}
