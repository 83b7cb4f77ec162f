export const Page = () => null
