'use client';
import { useEffect, useState } from 'react';

/** Whether Caps Lock was on at the last key press or click on this page. */
export function useCapsLock(): boolean {
  const [on, setOn] = useState(false);
  useEffect(() => {
    const look = (event: KeyboardEvent | MouseEvent) => {
      // Password managers dispatch synthetic events without this method.
      if (typeof event.getModifierState === 'function') setOn(event.getModifierState('CapsLock'));
    };
    window.addEventListener('keydown', look);
    window.addEventListener('keyup', look);
    window.addEventListener('mousedown', look);
    return () => {
      window.removeEventListener('keydown', look);
      window.removeEventListener('keyup', look);
      window.removeEventListener('mousedown', look);
    };
  }, []);
  return on;
}
