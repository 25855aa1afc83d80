'use client';

import NextLink from 'next/link';
import { type ComponentProps, useState } from 'react';

/**
 * A link inside the console. The page behind it is fetched ahead once a pointer or the keyboard reaches the link. Next itself
 * would fetch ahead every link on the screen: two requests for each entry of the navigation and each row of a list.
 */
export function Link({ onMouseEnter, onFocus, onTouchStart, ...props }: ComponentProps<typeof NextLink>) {
  const [isReached, setIsReached] = useState(false);
  return (
    <NextLink
      {...props}
      prefetch={isReached ? null : false}
      onMouseEnter={(event) => {
        setIsReached(true);
        onMouseEnter?.(event);
      }}
      onFocus={(event) => {
        setIsReached(true);
        onFocus?.(event);
      }}
      onTouchStart={(event) => {
        setIsReached(true);
        onTouchStart?.(event);
      }}
    />
  );
}
