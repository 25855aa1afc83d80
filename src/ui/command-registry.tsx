'use client';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import type { Command } from './command';

type Register = (commands: readonly Command[]) => () => void;

// Two contexts: whoever offers commands must not render again because commands changed.
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
