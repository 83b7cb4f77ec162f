/** What a colour tells: nothing in particular, something to look at, all is well, take care, or wrong. */
export type Tone = "neutral" | "accent" | "good" | "warn" | "bad"
