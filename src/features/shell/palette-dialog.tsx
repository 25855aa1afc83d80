'use client';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import type { Command } from '@/ui/command-registry';
import type { Problem } from '@/ui/error-state';
import { Kbd } from '@/ui/keys';
import { itemClass } from '@/ui/option';
import { useGuardedPush } from '../shared/use-unsaved-guard';
import { type CommandGroup, groupCommands } from './group-commands';
import type { Typed } from './typed-ahead';
import { usePacketCommands } from './use-packet-commands';
import { useSearchResults } from './use-search-results';
import { type ShellCommandsProps, useShellCommands } from './use-shell-commands';
import { useWhoseCommand } from './use-whose-command';

type Props = ShellCommandsProps & {
  onClose: () => void;
  /** Gives what was typed so far; from then on, the input receives the keys. */
  takeTyped: () => Typed;
};

/** Everything that can be found, reached or done, by typing. */
export function PaletteDialog({ onClose, takeTyped, ...shell }: Props) {
  const t = useT();
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-(--layer-overlay) bg-scrim" />
        <Dialog.Viewport className="fixed inset-0 z-(--layer-overlay) flex items-start justify-center p-2 md:pt-[12dvh]">
          <Dialog.Popup
            aria-label={t('Command palette')}
            className="popup flex max-h-[min(32rem,calc(100dvh-1rem))] w-full max-w-xl flex-col !rounded-lg"
          >
            <Content shell={shell} onClose={onClose} takeTyped={takeTyped} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type ContentProps = Pick<Props, 'onClose' | 'takeTyped'> & { shell: ShellCommandsProps };

function Content({ shell, onClose, takeTyped }: ContentProps) {
  const t = useT();
  const open = useGuardedPush();
  const [query, setQuery] = useState('');
  // Enter that came before the results: it opens the best of them.
  const [entered, setEntered] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { text, enter } = takeTyped();
    // The dialog would give it the focus a frame later, and a key in between would be lost.
    input.current?.focus();
    setQuery((now) => now + text);
    setEntered(enter);
  }, [takeTyped]);
  const commands = useShellCommands(shell);
  const results = useSearchResults(query, open);
  const packet = usePacketCommands(query, open);
  const whose = useWhoseCommand(query, open);
  const searching = results.searching || packet.searching;
  const groups = useMemo(
    () =>
      groupCommands(
        query.trim() === ''
          ? [...results.commands, ...commands]
          : [...packet.commands, ...commands, ...results.commands, ...whose],
        query,
      ),
    [commands, results.commands, packet.commands, whose, query],
  );
  const run = useCallback(
    (command: Command) => {
      onClose();
      command.run();
    },
    [onClose],
  );
  const best = groups[0]?.items[0];
  useEffect(() => {
    if (!entered || searching) return;
    setEntered(false);
    if (best) run(best);
  }, [entered, searching, best, run]);
  const moved = useRef(false);
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      itemToStringValue={(command: Command) => command.label}
      filter={showAll}
      autoHighlight="always"
      keepHighlight
      value={query}
      onValueChange={(text, { reason }) => {
        if (reason === 'item-press') return;
        moved.current = false;
        setEntered(false);
        setQuery(text);
      }}
    >
      <div className="flex items-center gap-2 border-b px-3">
        <Search size={16} className="shrink-0 text-faint" aria-hidden />
        <Autocomplete.Input
          ref={input}
          aria-label={t('Search everything')}
          placeholder={t('Name, VMID, address, MAC address, page or action')}
          className="h-11 min-w-0 flex-1 bg-transparent outline-none"
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moved.current = true;
            if (event.key !== 'Enter' || !searching || moved.current) return;
            // What is highlighted now is not yet the best match.
            event.preventDefault();
            event.preventBaseUIHandler();
            setEntered(true);
          }}
        />
        <Dialog.Close aria-label={t('Close')} className="rounded-sm">
          <Kbd>Esc</Kbd>
        </Dialog.Close>
      </div>
      {results.problem && <SearchProblem problem={results.problem} />}
      <Autocomplete.Empty className="px-4 text-muted not-empty:py-6 not-empty:text-center">
        {searching ? t('Searching…') : t('No matches. Try another term.')}
      </Autocomplete.Empty>
      <Autocomplete.List className="min-h-0 flex-1 scroll-py-1 overflow-y-auto overscroll-contain p-1 data-empty:p-0">
        {(group: CommandGroup) => (
          <Autocomplete.Group key={group.value} items={group.items}>
            <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-sm text-faint">
              {group.items.every(({ found }) => found === 'similar')
                ? t('{group} with similar names', { group: group.value })
                : group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.id}
                  value={command}
                  onClick={() => run(command)}
                  className={`${itemClass} !min-h-8`}
                >
                  <span className="inline-flex w-4 shrink-0 justify-center text-faint [&>svg]:size-4">
                    {command.icon}
                  </span>
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

const showAll = () => true;

/** Pages and actions are still found when the service does not answer. */
function SearchProblem({ problem }: { problem: Problem }) {
  const t = useT();
  return (
    <p role="status" className="border-b px-3 py-2 text-sm text-warn">
      {t('Only pages and actions are searched. {problem}', { problem: problem.detail ?? problem.title })}
    </p>
  );
}
