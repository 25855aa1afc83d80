'use client';
import { Combobox as Base } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import type { Ref } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Spinner } from './loading';
import { itemClass, type Option, OptionText } from './option';

/**
 * Choices that the server finds: it receives the typed text and returns new `options`. `loading` until these match the
 * current text, pauses included.
 */
export type RemoteSearch = { onSearch: (text: string) => void; loading: boolean; error?: string | null };

/**
 * How choices are filtered here: not at all once the server has answered. Until then those of an earlier text are, because
 * Enter would choose one that does not match what is typed.
 */
export const toFilterProp = (remote: Pick<RemoteSearch, 'loading'> | undefined): null | undefined =>
  remote && !remote.loading ? null : undefined;

/** What a combobox of one and of several choices take alike. */
export type SearchedProps<V extends string> = {
  /** All choices, or with `remote` those that match what was typed. */
  options: readonly Option<V>[];
  remote?: RemoteSearch;
  placeholder?: string;
  disabled?: boolean;
  onBlur?: () => void;
  'aria-label'?: string;
  ref?: Ref<HTMLInputElement>;
};

/** The list under a combobox; reads the items from the surrounding `Combobox.Root`. */
export function ComboboxPopup({ remote }: { remote?: RemoteSearch }) {
  return (
    <Base.Portal>
      <Base.Positioner sideOffset={4} className="z-(--layer-overlay) outline-none">
        <Base.Popup className="popup flex max-h-[min(20rem,var(--available-height))] w-(--anchor-width) min-w-56 max-w-(--available-width) flex-col">
          <OptionList />
          <ComboboxStatus remote={remote} />
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

/** What there is to say instead of, or below, the choices: these stay where they are under the pointer when a search ends. */
export function ComboboxStatus({ remote }: { remote?: RemoteSearch }) {
  const t = useT();
  return (
    <>
      <Base.Status className="flex items-center gap-2 px-3 text-sm text-muted not-empty:py-2">
        {remote?.error ? (
          <span className="text-danger">{remote.error}</span>
        ) : (
          remote?.loading && (
            <>
              <Spinner size={14} /> {t('Searching…')}
            </>
          )
        )}
      </Base.Status>
      <Base.Empty className="px-3 text-muted not-empty:py-2">
        {remote?.loading || remote?.error ? null : t('No matches')}
      </Base.Empty>
    </>
  );
}

/** The choices; what is chosen has a check mark. */
export function OptionList() {
  return (
    <Base.List className="min-h-0 flex-1 scroll-py-1 overflow-y-auto overscroll-contain p-1 data-empty:p-0">
      {(option: Option) => (
        <Base.Item
          key={option.value}
          value={option}
          disabled={option.disabledReason !== undefined}
          className={itemClass}
        >
          <OptionText option={option} />
          <Base.ItemIndicator className="text-accent">
            <Check size={14} />
          </Base.ItemIndicator>
        </Base.Item>
      )}
    </Base.List>
  );
}
