/** Icons, drawn on 24 units with strokes in the colour of the text. They are decoration: controls have names of their own. */
import type { JSX } from "preact"

const paths = {
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  arrowLeft: "M19 12H5m6-6-6 6 6 6",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  card: "M3 6h18v12H3zM3 10h18M7 15h3",
  chart: "M5 20V11M12 20V4M19 20v-6",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevronDown: "m6 9 6 6 6-6",
  chevronRight: "m9 6 6 6-6 6",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  download: "M12 4v11m-5-5 5 5 5-5M4 20h16",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  forward: "m15 6 6 6-6 6M21 12H10a7 7 0 0 0-7 7",
  gear: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 3v3m0 12v3M4.2 7.5l2.6 1.5m10.4 6 2.6 1.5m0-9-2.6 1.5M6.8 15l-2.6 1.5",
  globe: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  hook: "M8 4v9a4 4 0 0 0 8 0v-2m0 0-3 3m3-3 3 3",
  inbox: "M4 13 6.5 5h11L20 13v6H4zM4 13h5l1 3h4l1-3h5",
  key: "M14.5 13.500a4 4 0 1 0-4-4c0 .6.1 1.1.3 1.600L4 18v2.500h3V18.500h2v-2h2l1.9-3.200c.5.1 1 .2 1.6.2zM15.5 8.500h.01",
  help: "M9 9a3 3 0 1 1 4 2.800c-.7.4-1 .9-1 1.700M12 17h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M17 10h.01M8 14h8",
  label: "M4 5h9l7 7-7 7H4zM8 12h.01",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  mail: "M3 6h18v12H3zm0 1 9 6.500L21 7",
  menu: "M4 7h16M4 12h16M4 17h16",
  minus: "M6 12h12",
  monitor: "M3 5h18v11H3zM9 20h6m-3-4v4",
  moon: "M20 14.500A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.500z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  paperclip:
    "m20 11.5-8.200 8.200a5 5 0 0 1-7-7l8.500-8.500a3.3 3.3 0 0 1 4.700 4.700l-8.500 8.500a1.700 1.700 0 0 1-2.400-2.400L15 7.500",
  pause: "M8 5v14M16 5v14",
  pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  play: "M7 5v14l12-7z",
  plus: "M12 5v14M5 12h14",
  reply: "M9 6 3 12l6 6M3 12h11a7 7 0 0 1 7 7",
  review: "M5 4h14v16H5zM9 12l2 2 4-4M9 8h6",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2 4 4",
  send: "M4 12 20 4l-5 16-3.5-6.500zM11.5 13.5 20 4",
  shield: "M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z",
  signOut: "M14 4h5v16h-5M3 12h11m-4-4 4 4-4 4",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.400m11.2 11.200L19 19M5 19l1.4-1.400M17.6 6.4 19 5",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 9c0-4 3.5-6 8-6s8 2 8 6",
  users:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-6 9c0-3.5 2.5-5.5 6-5.500s6 2 6 5.500M16 4.500a3.5 3.5 0 0 1 0 6.500M18 15c2 .7 3 2.5 3 5",
  warning: "M12 4 2.5 20h19zM12 10v4M12 17h.01",
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name, size = 18 }: { name: IconName; size?: 14 | 16 | 18 | 20 | 24 }): JSX.Element => (
  <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)
