'use client';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import type { Command } from './command-registry';
import { type CommandGroup, groupCommands, matchesCommand } from './group-commands';
import { Kbd } from './keys';
import { itemClass } from './option';

type Props = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  commands: readonly Command[];
  /** Told of every change of what is typed, for commands that the service finds. */
  onQueryChange?: (query: string) => void;
  /** Commands are being looked for. */
  searching?: boolean;
};

/** Everything that can be done or reached, by typing. */
export function CommandPalette({ open, onOpenChange, commands, onQueryChange, searching = false }: Props) {
  const t = useT();
  const run = (command: Command) => {
    onOpenChange(false);
    command.run();
  };
  return (
    <Dialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-(--layer-overlay) bg-scrim" />
        <Dialog.Viewport className="fixed inset-0 z-(--layer-overlay) flex items-start justify-center p-2 md:pt-[12dvh]">
          <Dialog.Popup
            aria-label={t('Command palette')}
            className="popup flex max-h-[min(28rem,calc(100dvh-1rem))] w-full max-w-lg flex-col !rounded-lg"
          >
            <Content commands={commands} onQueryChange={onQueryChange} searching={searching} run={run} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type ContentProps = Pick<Props, 'commands' | 'onQueryChange' | 'searching'> & { run: (command: Command) => void };

/** Mounted with the dialog, so that what was typed is gone when it opens again. */
function Content({ commands, onQueryChange, searching, run }: ContentProps) {
  const t = useT();
  const [query, setQuery] = useState('');
  const groups = useMemo(() => groupCommands(commands, query), [commands, query]);
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      itemToStringValue={(command: Command) => command.label}
      filter={matchesCommand}
      autoHighlight="always"
      keepHighlight
      onValueChange={(text) => {
        setQuery(text);
        onQueryChange?.(text);
      }}
    >
      <div className="flex items-center gap-2 border-b px-3">
        <Search size={16} className="shrink-0 text-faint" aria-hidden />
        <Autocomplete.Input
          aria-label={t('Search pages and actions')}
          placeholder={t('Go to a page, start an action, or paste an address')}
          className="h-11 min-w-0 flex-1 bg-transparent outline-none"
        />
        <Dialog.Close aria-label={t('Close')} className="rounded-sm">
          <Kbd>Esc</Kbd>
        </Dialog.Close>
      </div>
      <Autocomplete.Empty className="px-4 text-muted not-empty:py-6 not-empty:text-center">
        {searching ? t('Searching…') : t('No matches. Try another term.')}
      </Autocomplete.Empty>
      <Autocomplete.List className="min-h-0 flex-1 scroll-py-1 overflow-y-auto overscroll-contain p-1 data-empty:p-0">
        {(group: CommandGroup) => (
          <Autocomplete.Group key={group.value} items={group.items}>
            <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-sm text-faint">
              {group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.id}
                  value={command}
                  onClick={() => run(command)}
                  className={`${itemClass} !min-h-8`}
                >
                  <span className="inline-flex w-4 justify-center text-faint [&>svg]:size-4">{command.icon}</span>
                  <span className="min-w-0 flex-1 truncate">{command.label}</span>
                  {command.hint && (
                    <span className="max-w-1/2 shrink-0 truncate text-sm text-faint">{command.hint}</span>
                  )}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
