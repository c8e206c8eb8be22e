import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Saves version 2 of a document. Fault: Files.writeString cuts the old version off first. */
public class Replace {
    static String document(int version) {
        StringBuilder text = new StringBuilder("version " + version + "\n");
        for (int line = 0; line < 100; line++) {
            text.append("line " + line + " of version " + version + "\n");
        }
        return text.append("end " + version + "\n").toString();
    }

    static void saveByRename(Path path, String text) throws Exception {
        Path next = Path.of("doc.new");
        try (FileChannel file = FileChannel.open(next, StandardOpenOption.CREATE,
                StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            file.write(ByteBuffer.wrap(text.getBytes()));
            file.force(true);
        }
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel folder = FileChannel.open(Path.of("."), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("good")) {
            saveByRename(Path.of("doc"), document(2));
        } else {
            Files.writeString(Path.of("doc"), document(2));
        }
        System.out.println("saved 2");
    }
}
