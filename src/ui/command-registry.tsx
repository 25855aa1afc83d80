'use client';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';

type Register = (commands: readonly Command[]) => () => void;

// Two contexts: a component that offers commands must not render again because commands changed.
const RegisterContext = createContext<Register | null>(null);
const CommandsContext = createContext<readonly Command[]>([]);

/** Collects the commands of whatever is on the screen for the palette. */
export function CommandRegistry({ children }: { children: ReactNode }) {
  const [lists, setLists] = useState<readonly (readonly Command[])[]>([]);
  const register = useCallback<Register>((commands) => {
    setLists((now) => [...now, commands]);
    return () => setLists((now) => now.filter((list) => list !== commands));
  }, []);
  const commands = useMemo(() => lists.flat(), [lists]);
  return (
    <RegisterContext value={register}>
      <CommandsContext value={commands}>{children}</CommandsContext>
    </RegisterContext>
  );
}

/** Offers commands while the calling component is mounted. Give it a stable array (constant or useMemo). */
export function useCommands(commands: readonly Command[]): void {
  const register = useContext(RegisterContext);
  useEffect(() => register?.(commands), [register, commands]);
}

/** Everything that is offered now. */
export function useRegisteredCommands(): readonly Command[] {
  return useContext(CommandsContext);
}

/** Something the palette can do: go somewhere, or start an action of the page. */
export type Command = {
  id: string;
  /** In the imperative: "Add cluster"; or the name of a page. */
  label: string;
  /** Heading that contains it: "Go to", "Clusters". */
  group: string;
  /** Further words it is found by. */
  keywords?: readonly string[];
  icon?: ReactNode;
  /** At the end of the line: what it is, or where. */
  hint?: string;
  /** Found by the service for the text that was typed: shown whatever its label is. */
  found?: 'exact' | 'match' | 'similar';
  run: () => void;
};
